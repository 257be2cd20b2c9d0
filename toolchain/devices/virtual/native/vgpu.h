/* The structures that generated code and the C runtime share. Offsets are part of the generated code's ABI:
 * codegen/frame.py holds the same numbers. */
#ifndef VGPU_H
#define VGPU_H

#include <stddef.h>
#include <stdint.h>

#define VG_LANES 32
#define VG_BARRIERS 16
#define VG_MOST_WARPS 32 /* of a block */
#define VG_MOST_CLUSTER 16 /* blocks of a cluster */

typedef struct VgLaunch VgLaunch;
typedef struct VgBlock VgBlock;
typedef struct VgCluster VgCluster;
typedef struct VgWarp VgWarp;
typedef struct VgWatch VgWatch;
typedef struct VgBlockWatch VgBlockWatch;
typedef struct VgShadow VgShadow;
typedef struct VgPace VgPace;
typedef struct VgPaths VgPaths;

/* A memory site's last good allocation: its first byte, and at how many aligned places in it one lane's
 * access (`lane`), or that of 16 lanes in a row (`half`), fits. */
typedef struct {
    uint64_t low, lane, half, unused;
} VgRange;

/* A whole warp's access that is still to be counted: each half's lanes access one place, or are in a row. */
typedef struct {
    uint64_t low, high; /* where lanes 0 and 16 access */
    int32_t site;
    uint32_t span; /* bytes that a half accesses */
} VgPending;

/* What a memory instruction does, told to the runtime once a launch. */
typedef struct {
    uint8_t space, kind, bytes, aligned;
    int32_t line;
    uint8_t strong;   /* atomic, volatile, relaxed …: does not race with another strong one */
    uint8_t barrier;  /* an mbarrier's word */
    uint8_t replaces; /* an atomic that does not depend on what was there */
    uint8_t constant; /* ld.global.nc: of what nothing writes while the kernel runs */
} VgSite;

/* VG_CLUSTER: the shared memory of any block of the cluster. */
enum { VG_GLOBAL, VG_SHARED, VG_LOCAL, VG_CONST, VG_PARAM, VG_GENERIC, VG_CLUSTER };
enum { VG_LOAD, VG_STORE, VG_ATOMIC, VG_LDMATRIX, VG_ASYNC_COPY };

/* One block barrier. */
typedef struct {
    uint32_t expected;   /* threads it waits for; 0: all living threads of the block */
    uint32_t arrived;    /* threads that arrived without waiting (bar.arrive) */
    uint32_t generation; /* how often it was released */
    uint32_t unused;
    uint32_t voters[2], votes[2]; /* bar.red: of this generation and the last, by parity */
} VgBarrier;

/* One resident block. */
struct VgBlock {
    const uint8_t *parameters;  /* 0 */
    uint8_t *shared;            /* 8 */
    uint32_t shared_bytes;      /* 16 */
    uint32_t local_bytes;       /* 20: of one lane */
    int32_t ctaid[3];           /* 24 */
    int32_t nctaid[3];          /* 36 */
    int32_t ntid[3];            /* 48 */
    int32_t sm;                 /* 60 */
    int64_t *counters;          /* 64 */
    const uint64_t *variables;  /* 72 */
    VgRange *ranges;            /* 80 */
    uint64_t workspace;         /* 88: for grid-wide synchronisation */
    int32_t clusterid[3];       /* 96 */
    int32_t nclusterid[3];      /* 108 */
    int32_t cluster_ctaid[3];   /* 120 */
    int32_t cluster_nctaid[3];  /* 132 */
    int32_t cluster_ctarank;    /* 144 */
    int32_t cluster_nctarank;   /* 148 */
    int32_t is_explicit_cluster; /* 152 */
    int32_t unused;             /* 156 */
    VgPending *pending;         /* 160: where the next one goes */
    VgPending *pending_full;    /* 168: where there may be too little room for those of a basic block */
    /* from here on for the runtime only */
    VgPending *first_pending;
    VgLaunch *launch;
    uint8_t *contexts;
    uint8_t *local;
    int64_t index, number; /* number: which sampled block it is, -1 where it is none */
    int32_t warps, living;
    uint32_t slice;
    int64_t *tally, *own_tally; /* where its first warp counts basic blocks; what is kept for that in this place */
    size_t tally_step, own_tally_rows; /* from one warp's to the next one's */
    VgPaths *paths, *kept_paths; /* NULL: not sampled; kept for the next block in this place */
    struct VgProfile *profile; /* what is counted; NULL for a block that is not sampled */
    struct VgProfile *kept_profile; /* for the next block in this place */
    uint8_t *state;            /* of each warp */
    uint32_t *result;          /* of each warp's last time slice */
    VgBarrier barriers[VG_BARRIERS];
    VgCluster *cluster;
    uint32_t still_rounds; /* since a warp came to a barrier */
    uint32_t *arrived; /* lanes of each warp that arrived at the cluster's barrier, in this phase of it */
    int32_t parameter_bytes;
    void *async; /* of the asynchronous copies: zero when the block begins */
    int64_t clock; /* cycles, where the launch has clocks */
    uint64_t *seen; /* of each warp that polled, and changed nothing, in its last time slice: its state then; else 0 */
    int32_t place;
    uint8_t waits, polls; /* whether its last turn did nothing, or nothing but poll */
    uint8_t woken; /* whether that turn may have found something that it has not acted on yet */
    int32_t looked; /* at how many places its last turn looked in vain; 0: it is not known at which */
    struct VgSeen *looked_at;
    VgBlockWatch *watch, *kept_watch; /* NULL: not watched; kept for the next block in this place */
};

/* Blocks that are resident together, on one worker. */
struct VgCluster {
    int32_t size, awaited; /* awaited: whether a thread may wait at the cluster's barrier */
    int32_t has_left; /* whether threads were let go in the round in hand */
    VgBlock *blocks[VG_MOST_CLUSTER]; /* by rank */
};

/* What a warp waits for when it polls: for anybody, or for its own cluster alone, as at an mbarrier. */
enum { VG_POLLS_ANY = 1, VG_POLLS_OWN = 2 };

/* One warp's context; the registers that outlive a basic block follow it. */
struct VgWarp {
    uint32_t mask;       /* 0: lanes running now */
    uint32_t live;       /* 4: lanes neither returned nor at a barrier */
    uint32_t slice;      /* 8: back edges left */
    uint32_t dispatches; /* 12: dispatches left */
    uint32_t last_fair;  /* 16 */
    uint32_t forced;     /* 20: nothing but waiting lanes is left to run */
    uint32_t spun;       /* 24: how polling has shortened the time slice, see VG_POLLS_ANY */
    uint32_t index;      /* 28: within the block */
    uint8_t *local;      /* 32: lane 0's local memory, the other lanes' follow */
    VgBlock *block;      /* 40 */
    void *async;         /* 48: of the asynchronous copies: zero when the block begins */
    uint64_t clock;      /* 56: what it reads of the time, which goes on with each look at it */
    uint32_t pc[VG_LANES];     /* 64 */
    uint32_t tid[3][VG_LANES]; /* 192 */
    uint8_t registers[];       /* 576 */
};

enum {
    VG_FAULT_NONE,
    VG_FAULT_OUT_OF_BOUNDS,
    VG_FAULT_MISALIGNED,
    VG_FAULT_INPUT_WRITTEN,
    VG_FAULT_TRAP,
    VG_FAULT_ASSERT,
    VG_FAULT_BARRIER_DIVERGENCE,
    VG_FAULT_DEADLOCK,
    VG_FAULT_TIMED_OUT,
    VG_FAULT_ILLEGAL, /* a C helper met operands that the hardware refuses */
    VG_FAULT_UNSUPPORTED,
    VG_FAULT_STACK_OVERFLOW,
    VG_FAULT_FREED,
    VG_FAULT_RACE,
    VG_FAULT_UNINITIALISED,
    VG_FAULT_IN_FLIGHT, /* of an asynchronous copy that was not waited for */
    VG_FAULT_ENDED,     /* an access of the shared memory of a block that has ended */
    VG_FAULT_STALE,     /* a read as of memory that nothing writes, of what this launch has written */
};

typedef struct {
    int32_t kind;
    int32_t line;    /* of the source; 0: find it by `pc`; -1 - n: of the kernel's n-th instruction */
    int32_t site;    /* -1: none */
    int32_t access;  /* VG_LOAD, VG_STORE … */
    int32_t space;
    int32_t bytes;   /* of one lane */
    uint64_t address;
    uint64_t base, size; /* the buffer it belongs to or is nearest to; size 0: none */
    int64_t block;       /* linear index */
    int32_t warp, lane;
    uint32_t pc; /* basic block */
    int32_t detail;
    char buffer[64];
    int64_t other_block; /* the access that this one is at odds with */
    int32_t other_line, other_access, other_warp, other_lane;
} VgFault;

/* --- for C helpers of instructions --- */

/* Ends the launch; does not return. `detail` goes into the report. */
void vg_fault(VgWarp *warp, uint32_t mask, int32_t kind, int32_t line, int32_t detail)
    __attribute__((noreturn));

/* Hooks of the asynchronous copies, called where a block begins and ends; either may be missing. */
void vg_async_begin(VgBlock *block) __attribute__((weak));
void vg_async_end(VgBlock *block) __attribute__((weak));

/* --- device memory --- */

enum { VG_WRITABLE = 1, VG_BLANK = 2 }; /* blank: reads before the first write are told */

void *vg_alloc(size_t bytes, int flags);
void vg_blank(void *base);
int vg_free(void *base);
int vg_register(void *base, size_t bytes, int writable, const char *name);
int vg_unregister(void *base);
int64_t vg_live_bytes(void);
void vg_fence(void *base, size_t bytes);

typedef struct {
    uint64_t base, bytes;
    int32_t writable, owned;
    char name[64];
    VgShadow *shadow;
} VgAllocation;

/* The allocation that holds `address`, or the nearest one below or above it; NULL where there is none. */
const VgAllocation *vg_nearest(uint64_t address);

/* The block of the cluster in whose shared memory an address lies, NULL where there is none. */
VgBlock *vg_shared_holder(const VgBlock *block, uint64_t address);

/* The one whose shared memory begins last before an address; `block` itself where there is none. */
const VgBlock *vg_shared_before(const VgBlock *block, uint64_t address);

/* The freed allocation that held `address` last; NULL where there is none, or it was forgotten. */
const VgAllocation *vg_freed(uint64_t address);

/* Host code or a copy wrote device memory. */
void vg_note_written(const void *address, size_t bytes);

#endif
