/* `ldmatrix`, `stmatrix` and `movmatrix`: 8x8 matrices of 16-bit elements between rows in memory and fragments.
 * Lane 4g + t of register i holds elements 2t and 2t + 1 of row g of matrix i (of column g when transposed);
 * lane 8i + g brings the host address of row g of matrix i. Addresses are checked before the call. */
#include "lanes.h"

enum { SIDE = 8, ROW_BYTES = 16 };

typedef uint16_t __attribute__((may_alias)) Element;
typedef Element Matrix[SIDE][SIDE];

static void transpose(Matrix out, const Matrix in)
{
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
            out[row][column] = in[column][row];
}

static void load_rows(Matrix out, const uint64_t rows[SIDE])
{
    for (int row = 0; row < SIDE; row++)
        memcpy(out[row], (const void *)(uintptr_t)rows[row], ROW_BYTES);
}

void vg_ldmatrix(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *rows, int count)
{
    (void)warp, (void)active;
    for (int i = 0; i < count; i++)
        load_rows((Element(*)[SIDE])(out + LANES * i), rows + SIDE * i);
}

void vg_ldmatrix_trans(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *rows, int count)
{
    (void)warp, (void)active;
    for (int i = 0; i < count; i++) {
        Matrix matrix;
        load_rows(matrix, rows + SIDE * i);
        transpose((Element(*)[SIDE])(out + LANES * i), (const Element(*)[SIDE])matrix);
    }
}

static void store_rows(const uint64_t rows[SIDE], const Matrix matrix)
{
    for (int row = 0; row < SIDE; row++)
        memcpy((void *)(uintptr_t)rows[row], matrix[row], ROW_BYTES);
}

void vg_stmatrix(VgWarp *warp, uint32_t active, const uint32_t *values, const uint64_t *rows, int count)
{
    (void)warp, (void)active;
    for (int i = 0; i < count; i++)
        store_rows(rows + SIDE * i, (const Element(*)[SIDE])(values + LANES * i));
}

void vg_stmatrix_trans(VgWarp *warp, uint32_t active, const uint32_t *values, const uint64_t *rows, int count)
{
    (void)warp, (void)active;
    for (int i = 0; i < count; i++) {
        Matrix matrix;
        transpose(matrix, (const Element(*)[SIDE])(values + LANES * i));
        store_rows(rows + SIDE * i, (const Element(*)[SIDE])matrix);
    }
}

void vg_movmatrix_trans(VgWarp *warp, uint32_t active, uint32_t *out, const uint32_t *values)
{
    (void)warp, (void)active;
    Matrix matrix;
    transpose(matrix, (const Element(*)[SIDE])values);
    memcpy(out, matrix, sizeof matrix);
}
