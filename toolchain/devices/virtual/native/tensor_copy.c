/* `cp.async.bulk.tensor`: a box of a tensor of up to five dimensions, as a tensor map describes it, or (im2col) some
 * channels of so many pixels of images, those in a bounding box. In shared memory either is dense, its 16-byte units
 * swizzled by address bits. Elements outside the tensor come as zeros or NaNs, and do not go out. */
#include "bulk.h"

#include <stdlib.h>

#include "reductions.h"

/* OUTSIDE: the NaN that `fma.oob` knows (isa/half.py), in every two bytes; wider elements are NaNs by it too. */
enum { OUTSIDE = 0x7ff7 };
enum { BOX_ALIGNMENT = 128, FTZ_EXPONENT = 0x7f800000 };
enum { RANK_BITS = 7, IM2COL = 8 }; /* of an instruction's `form` */

/* --- rows of a box ------------------------------------------------------------------------------------------------ */

/* One row along the first dimension: elements [low, high) of it are inside the tensor. */
typedef struct {
    uint64_t address; /* of element 0 in global memory, inside or not */
    uint32_t low, high;
} Row;

static uint32_t rows_of(const VgTensorMap *map)
{
    uint32_t rows = map->pixels ? map->pixels : 1;
    for (int axis = 1; axis < map->rank; axis++)
        rows *= map->box[axis];
    return rows;
}

static uint32_t row_bytes(const VgTensorMap *map) { return (uint32_t)map->box[0] * map->element_bytes; }

static uint32_t clamped(int64_t value, uint32_t most) { return value < 0 ? 0 : value > most ? most : (uint32_t)value; }

/* Where along one axis the row `number` lies, which is left as its number along the axes after. */
static int64_t place_in_box(const Box *box, int axis, uint32_t *number)
{
    uint32_t steps = *number % box->map.box[axis];
    *number /= box->map.box[axis];
    return (int64_t)box->first[axis] + (int64_t)steps * box->map.steps[axis];
}

/* The same of pixels, which go on to the bounding box's end and then from its beginning; the images never end. */
static int64_t place_of_pixel(const Box *box, int axis, uint32_t *number)
{
    const VgTensorMap *map = &box->map;
    int64_t first = box->first[axis], step = map->steps[axis];
    if (axis == map->rank - 1)
        return first + *number;
    int64_t low = map->lower[axis - 1], high = (int64_t)map->last[axis] + map->upper[axis - 1];
    uint32_t rest = (uint32_t)((high - first) / step) + 1, whole = (uint32_t)((high - low) / step) + 1;
    uint32_t steps = *number < rest ? *number : (*number - rest) % whole;
    int64_t from = *number < rest ? first : low;
    *number = *number < rest ? 0 : 1 + (*number - rest) / whole;
    return from + steps * step + box->offset[axis];
}

static Row row_of(const Box *box, uint32_t number)
{
    const VgTensorMap *map = &box->map;
    int inside = 1;
    Row row = {map->address + (uint64_t)((int64_t)box->first[0] * map->element_bytes), 0, 0};
    for (int axis = 1; axis < map->rank; axis++) {
        int64_t place = map->pixels ? place_of_pixel(box, axis, &number) : place_in_box(box, axis, &number);
        inside &= place >= 0 && place <= (int64_t)map->last[axis];
        row.address += (uint64_t)(place * (int64_t)map->strides[axis]);
    }
    if (inside) {
        row.low = clamped(-(int64_t)box->first[0], map->box[0]);
        row.high = clamped((int64_t)map->last[0] + 1 - box->first[0], map->box[0]);
    }
    return row;
}

static uint8_t *unit_at(uint64_t shared, uint32_t swizzle_mask, uint32_t offset)
{
    uint64_t place = shared + offset;
    return (uint8_t *)(uintptr_t)(place ^ (place >> 3 & swizzle_mask));
}

/* --- landing ------------------------------------------------------------------------------------------------------ */

static void fill(uint8_t *unit, const VgTensorMap *map)
{
    uint16_t value = map->fills_nan ? OUTSIDE : 0;
    for (int i = 0; i < UNIT; i += (int)sizeof value)
        memcpy(unit + i, &value, sizeof value);
}

static void flush_denormals(uint8_t *unit)
{
    uint32_t bits[UNIT / 4];
    memcpy(bits, unit, UNIT);
    for (int i = 0; i < UNIT / 4; i++)
        bits[i] &= bits[i] & FTZ_EXPONENT ? UINT32_MAX : 1u << 31;
    memcpy(unit, bits, UNIT);
}

/* The part of a row that lies in one unit: from where on, how many bytes. */
typedef struct {
    uint32_t skipped, bytes;
} Part;

static Part part_of(const VgTensorMap *map, const Row *row, uint32_t offset)
{
    uint32_t low = row->low * map->element_bytes, high = row->high * map->element_bytes;
    uint32_t from = low > offset ? low : offset, to = high < offset + UNIT ? high : offset + UNIT;
    return (Part){from - offset, to > from ? to - from : 0};
}

static void move_unit(VgWarp *warp, const Bulk *bulk, const Row *row, uint32_t offset, uint8_t *unit)
{
    const VgTensorMap *map = &bulk->box->map;
    Part part = part_of(map, row, offset);
    uint64_t global = row->address + offset + part.skipped;
    if (bulk->barrier) {
        fill(unit, map);
        memcpy(unit + part.skipped, (const void *)(uintptr_t)global, part.bytes);
        if (map->element == ELEMENT_F32_FTZ)
            flush_denormals(unit);
    } else if (bulk->reduction < 0) {
        memcpy((void *)(uintptr_t)global, unit + part.skipped, part.bytes);
    } else if (!vg_reduce(warp, (uint32_t)bulk->reduction | map->element, global, unit + part.skipped, part.bytes)) {
        vg_fault(warp, 1u << bulk->lane, VG_FAULT_UNSUPPORTED, bulk->line, 0);
    }
}

void vg_box_land(VgWarp *warp, const Bulk *bulk)
{
    const VgTensorMap *map = &bulk->box->map;
    uint64_t shared = bulk->barrier ? bulk->destination : bulk->source;
    uint32_t rows = rows_of(map), wide = row_bytes(map);
    for (uint32_t number = 0; number < rows; number++) {
        Row row = row_of(bulk->box, number);
        for (uint32_t offset = 0; offset < wide; offset += UNIT)
            move_unit(warp, bulk, &row, offset, unit_at(shared, map->swizzle_mask, number * wide + offset));
        uint64_t written = (uint64_t)(row.high - row.low) * map->element_bytes;
        if (!bulk->barrier && written)
            vg_note_written((const void *)(uintptr_t)(row.address + row.low * map->element_bytes), written);
    }
}

/* --- issuing ------------------------------------------------------------------------------------------------------ */

/* A map that a kernel has changed is looked at here, as its parts come in any order. */
static void check_width(VgWarp *warp, uint32_t lane, const VgTensorMap *map, int32_t line)
{
    uint32_t wide = row_bytes(map);
    if (!rows_of(map) || !wide || wide % UNIT)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_BAD_MAP);
    if (map->swizzle_mask && wide != (uint32_t)map->swizzle_mask + UNIT)
        vg_fault(warp, 1u << lane, VG_FAULT_UNSUPPORTED, line, 0);
}

static VgTensorMap read_map(VgWarp *warp, uint32_t lane, uint64_t address, int form, int32_t line)
{
    VgTensorMap map = {.mark = 0};
    const VgBlock *block = warp->block;
    const VgAllocation *home = vg_nearest(address);
    uint64_t offset = address - (uint64_t)(uintptr_t)block->parameters;
    int in_parameters = offset < (uint64_t)block->parameter_bytes && block->parameter_bytes - offset >= sizeof map;
    int in_memory = home && address - home->base < home->bytes && home->base + home->bytes - address >= sizeof map;
    if (in_parameters || in_memory)
        memcpy(&map, (const void *)(uintptr_t)address, sizeof map);
    int is_aligned = !((in_parameters ? offset : address) % TENSOR_MAP_ALIGNMENT);
    if (map.mark != TENSOR_MAP_MARK || !is_aligned)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_NO_MAP);
    if (map.rank != (form & RANK_BITS))
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_OTHER_RANK);
    if (!map.pixels != !(form & IM2COL))
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_OTHER_MODE);
    check_width(warp, lane, &map, line);
    return map;
}

/* Checks, watches and counts what is touched in global memory. */
static void begin_rows(VgWarp *warp, uint32_t lane, const Box *box, int32_t site)
{
    const VgTensorMap *map = &box->map;
    for (uint32_t number = 0; number < rows_of(map); number++) {
        Row row = row_of(box, number);
        if (row.high > row.low)
            vg_row_begin(warp, lane, row.address + (uint64_t)row.low * map->element_bytes,
                         (uint64_t)(row.high - row.low) * map->element_bytes, site);
    }
}

static Box *copy_of(Box box)
{
    Box *kept = malloc(sizeof *kept);
    *kept = box;
    return kept;
}

/* An im2col copy begins inside the bounding box; offsets have 16 bits, shared by the axes of pixels. */
static void check_pixels(VgWarp *warp, uint32_t lane, const Box *box, int32_t line)
{
    const VgTensorMap *map = &box->map;
    for (int axis = 1; axis < map->rank - 1; axis++) {
        int64_t first = box->first[axis], high = (int64_t)map->last[axis] + map->upper[axis - 1];
        if (first < map->lower[axis - 1] || first > high || box->offset[axis] >> 16 / (map->rank - 2))
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_OUTSIDE_BOX);
    }
}

/* `coordinates`: of all lanes, dimension by dimension; those of im2col are followed by the offsets. */
static Box box_of(VgWarp *warp, uint32_t lane, const uint64_t *maps, const int32_t *coordinates, int form, int32_t line)
{
    Box box = {.map = read_map(warp, lane, maps[lane], form, line)};
    int rank = form & RANK_BITS;
    for (int axis = 0; axis < rank; axis++)
        box.first[axis] = coordinates[LANES * axis + (int)lane];
    for (int axis = 1; form & IM2COL && axis < rank - 1; axis++)
        box.offset[axis] = (uint16_t)coordinates[LANES * (rank + axis - 1) + (int)lane];
    if (form & IM2COL)
        check_pixels(warp, lane, &box, line);
    return box;
}

static void check_box(VgWarp *warp, uint32_t lane, uint64_t shared, int32_t line)
{
    if (shared % BOX_ALIGNMENT)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_UNALIGNED_BOX);
}

/* What goes out may not begin before the tensor, nor end after it. */
static void check_stored_pixels(VgWarp *warp, uint32_t lane, const VgTensorMap *map, int32_t line)
{
    for (int axis = 0; map->pixels && axis < map->rank - 2; axis++)
        if (map->lower[axis] < 0 || map->upper[axis] > 0)
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_BOX_BEYOND);
}

/* `ranks`: NULL for one destination. `form`: the rank, and whether the mode is im2col. */
void vg_tensor_load(VgWarp *warp, uint32_t active, const uint64_t *destinations, const uint64_t *maps,
                    const int32_t *coordinates, const uint64_t *barriers, const uint32_t *ranks, int32_t form,
                    int32_t from_site, int32_t to_site)
{
    int32_t line = warp->block->launch->sites[from_site].line;
    EACH_ACTIVE(lane, active) {
        Box box = box_of(warp, lane, maps, coordinates, form, line);
        uint32_t bytes = rows_of(&box.map) * row_bytes(&box.map);
        uint32_t left = ranks ? vg_check_ranks(warp, lane, ranks[lane], line) : 1;
        begin_rows(warp, lane, &box, from_site);
        for (; left; left &= left - 1) {
            Bulk bulk = {destinations[lane], 0, barriers[lane], bytes, lane, 0, -1, line, NULL, to_site, 0};
            if (ranks)
                bulk = vg_bulk_of_rank(warp, bulk, __builtin_ctz(left));
            check_box(warp, lane, bulk.destination, line);
            vg_check_barrier(warp, &bulk);
            vg_row_begin(warp, lane, bulk.destination, bytes, to_site);
            bulk.box = copy_of(box);
            vg_bulk_enqueue(warp, bulk);
        }
    }
}

/* `reduction`: -1 to copy, else an operation without an element. `form`: see vg_tensor_load. */
void vg_tensor_store(VgWarp *warp, uint32_t active, const uint64_t *maps, const int32_t *coordinates,
                     const uint64_t *sources, int32_t reduction, int32_t form, int32_t from_site, int32_t to_site)
{
    int32_t line = warp->block->launch->sites[from_site].line;
    EACH_ACTIVE(lane, active) {
        Box box = box_of(warp, lane, maps, coordinates, form, line);
        uint32_t bytes = rows_of(&box.map) * row_bytes(&box.map);
        check_box(warp, lane, sources[lane], line);
        check_stored_pixels(warp, lane, &box.map, line);
        vg_row_begin(warp, lane, sources[lane], bytes, from_site);
        begin_rows(warp, lane, &box, to_site);
        vg_bulk_enqueue(warp, (Bulk){0, sources[lane], 0, bytes, lane, 0, reduction, line, copy_of(box), 0, 0});
    }
}
