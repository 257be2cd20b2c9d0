/* What the C runtime's own files share: the launch as Python fills it in, and its workers. */
#ifndef VG_RUNTIME_H
#define VG_RUNTIME_H

#include <setjmp.h>
#include <stdatomic.h>

#include "vgpu.h"

#define VG_EXITED 0x7fffffffu
#define VG_BLOCKED 0x40000000u
#define VG_ALIGNED 0x01000000u
#define VG_AT_CLUSTER 0x02000000u /* beside VG_BLOCKED: at the barrier of the cluster */
#define VG_YIELDED 0x10000000u
#define VG_BARRIER_SHIFT 20
#define VG_MOST_BLOCKS (1u << VG_BARRIER_SHIFT)
#define VG_SITE_COLUMNS 5

#define VG_MOST_THREADS 64

typedef struct VgDeal VgDeal;
typedef uint32_t (*VgWarpFunction)(VgWarp *warp, VgBlock *block);

enum { VG_ORDER_REVERSED = 1, VG_POISON = 2, VG_OTHER_POISON = 4, VG_FENCED = 8, VG_TIMED = 16 };

/* Mirrored by engine.py. */
struct VgLaunch {
    VgWarpFunction function;
    VgWarpFunction watched; /* of blocks that are watched */
    const uint8_t *parameters;
    const uint64_t *variables;
    uint64_t workspace;
    const VgSite *sites;
    const int64_t *sampled;      /* linear indices of the blocks to count; NULL: run all, uncounted */
    int64_t *counters;           /* two a basic block, then VG_SITE_COLUMNS a site */
    const int32_t *lengths;      /* instructions of each basic block */
    const int32_t *cycles;       /* of each basic block, and whether it changes memory; NULL: blocks have no clocks */
    const int32_t *live_starts;  /* where ranges of a warp's context begin that matter at the begin of a basic block */
    const int32_t *live_ranges;  /* offset and bytes of each */
    const int8_t *only_waits;    /* of each basic block, whether it does nothing but ask an mbarrier; NULL: none does */
    int64_t *issued;             /* warp instructions of each sampled block, then those along its longest path */
    int64_t *paths;              /* of each sampled block how often that goes through each basic block */
    int64_t *whole;              /* two a basic block, of all blocks; NULL: only the sampled ones are to run */
    int64_t *footprint_starts;   /* where each sampled block's distinct global sectors begin in `footprints` */
    int64_t *footprint_counts;
    int64_t sampled_count, context_bytes, shared_bytes, local_bytes, parameter_bytes;
    int64_t counter_count;
    int64_t most_issued;         /* more warp instructions, or a wait for others, end a sampled block; 0: nothing does */
    int64_t longest, longest_block; /* warp instructions of the busiest block of all, and which it is */
    int64_t elapsed, busy_place; /* cycles by the blocks' clocks: of all, and what was done in a mean place */
    uint64_t drawn;              /* by it, some uncounted blocks take turns as counted ones do; 0: none */
    double begun;                /* CLOCK_MONOTONIC seconds at which the launch began */
    double limit_seconds;        /* of a processor that each of its threads may take */
    double spin_seconds;         /* how long all warps may do nothing but poll */
    int32_t grid[3], block[3], cluster[3];
    int32_t site_count, basic_blocks, threads, options;
    int32_t slice, short_slice; /* of a warp; the short one is of blocks that are counted, or drawn */
    int32_t residents;          /* blocks to keep resident in any case; with clocks, in the end, how many there were */
    int32_t holds;              /* blocks that the GPU has room for at a time; 0: not known */
    int32_t is_overrun, waits;  /* whether a sampled block was given up; whether blocks were brought in for one */
    int32_t l1_bytes; /* of L1 that a sampled block has to itself; 0: 128 KiB */
    int32_t noted_count;
    int64_t watched_accesses; /* how many warp-wide accesses to watch; in the end, how many are left */
    VgFault *noted;           /* room for sixteen faults of watched accesses, which end nothing */
    VgFault fault;
    /* of the runtime only */
    atomic_llong next;
    atomic_int stopped;
    atomic_int is_looked_at; /* `progress`: it counts from the first time on that a worker was idle */
    atomic_llong progress;
    atomic_int busy; /* workers whose blocks still change */
    atomic_int there; /* resident blocks of all workers */
    VgWatch *watch;
    uint64_t *footprints; /* of sampled blocks as they ended, until they are taken */
    int64_t footprints_end, footprints_room;
    VgPace *pace; /* NULL: blocks have no clocks */
    VgDeal *deal; /* NULL: workers take one cluster after another, in order */
};

typedef struct VgProfile VgProfile;
/* What the `number`-th sampled block counts with: `kept` from a block before it, or new. */
VgProfile *vg_profile_begin(VgProfile *kept, const VgLaunch *launch, int64_t number);

/* Hands the footprint of a block that came to its end over to the launch; the profile can be used again. */
void vg_profile_end(VgProfile *profile, VgLaunch *launch, int is_whole);
void vg_profile_free(VgProfile *profile);

/* Counts the accesses that generated code left to be counted. */
void vg_count_pending(VgBlock *block);

/* Where a fault on this thread goes. */
extern __thread jmp_buf *vg_escape;
void vg_end_launch(VgLaunch *launch, const VgFault *fault) __attribute__((noreturn));

/* What sampled blocks of this worker count memory instructions into. */
extern __thread int64_t *vg_site_counters;

double vg_now(void);

/* A fingerprint of bytes in a row, and of all device memory that kernels may write. */
uint64_t vg_mixed(const void *bytes, size_t count);
uint64_t vg_memory_state(void);
int64_t vg_thread_index(const VgBlock *block, int warp, int lane);

/* Releases what barriers can be released; returns how many. Faults where lanes of a warp are at odds. */
int vg_release_barriers(VgBlock *block);
void vg_fault_stuck(VgBlock *block) __attribute__((noreturn));

/* Whether threads wait at a barrier of their own block. */
int vg_waits_within(const VgBlock *block);

/* Lanes that have not returned. */
uint32_t vg_living_lanes(const VgWarp *warp);

/* Checks one lane's access to many bytes in a row, of which the site names the first few. */
void vg_check_row(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site);

/* --- of watched launches --- */

void vg_watch_begin(VgLaunch *launch);
void vg_watch_end(VgLaunch *launch);
void vg_watch_block_begin(VgBlock *block);
void vg_watch_block_free(VgBlock *block);
void vg_watch_arrive(VgBlock *block, uint32_t warp, uint32_t barrier);
void vg_watch_leave(VgBlock *block, uint32_t warp, uint32_t barrier);
void vg_watch_reset(VgBlock *block, uint32_t barrier);
void vg_watch_strays(VgBlock *block, uint32_t warp, uint32_t at_barrier);
void vg_watch_exchange(VgWarp *warp);
void vg_watch_row(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site);
void vg_watch_pieces(VgWarp *warp, uint32_t lane, const uint64_t *addresses, uint32_t count, int32_t site);
void vg_watch_landed(VgWarp *warp, uint32_t lane, uint64_t destination, uint32_t bytes);
void vg_forget_cells(void);
void vg_forget_written(void);

static inline VgWarp *vg_warp_of(const VgBlock *block, int index)
{
    return (VgWarp *)(block->contexts + (size_t)index * (size_t)block->launch->context_bytes);
}

#endif
