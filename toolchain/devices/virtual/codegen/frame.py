"""Byte offsets of what generated code shares with `native/vgpu.h`, and the states of a lane."""

WARP_MASK = 0
WARP_LIVE = 4
WARP_SLICE = 8
WARP_DISPATCHES = 12
WARP_LAST_FAIR = 16
WARP_FORCED = 20
WARP_SPUN = 24
POLLS_ANY, POLLS_OWN = 1, 2
WARP_INDEX = 28
WARP_LOCAL = 32
WARP_BLOCK = 40
WARP_CLOCK = 56
WARP_PC = 64
WARP_TID = 192
WARP_REGISTERS = 576

BLOCK_PARAMETERS = 0
BLOCK_SHARED = 8
BLOCK_SHARED_BYTES = 16
BLOCK_LOCAL_BYTES = 20
BLOCK_CTAID = 24
BLOCK_NCTAID = 36
BLOCK_NTID = 48
BLOCK_SM = 60
BLOCK_COUNTERS = 64
BLOCK_VARIABLES = 72
BLOCK_RANGES = 80
BLOCK_WORKSPACE = 88
BLOCK_CLUSTERID = 96
BLOCK_NCLUSTERID = 108
BLOCK_CLUSTER_CTAID = 120
BLOCK_CLUSTER_NCTAID = 132
BLOCK_CLUSTER_CTARANK = 144
BLOCK_CLUSTER_NCTARANK = 148
BLOCK_IS_EXPLICIT_CLUSTER = 152
BLOCK_PENDING = 160
BLOCK_PENDING_FULL = 168

RANGE_BYTES = 32
RANGE_LOW = 0
RANGE_LANE = 8
RANGE_HALF = 16
"""A site's last good allocation: its first address, and at how many aligned places in it one lane's access,
and that of 16 lanes in a row, fits."""

PENDING_BYTES = 24
PENDING_HIGH = 8
PENDING_SITE = 16
PENDING_SPAN = 20
"""An access that is still to be counted: where lanes 0 and 16 access, its site, the bytes of a half."""
PENDING_ROOM = 256
"""How many of them there is room for up to `BLOCK_PENDING_FULL`."""

EXITED = 0x7FFFFFFF
"""The program counter of a lane that returned."""
BLOCKED = 0x40000000
"""Set while a lane is at a block barrier; bits 20 to 23 then hold the barrier's number."""
ALIGNED = 0x01000000
"""Set beside BLOCKED where all lanes of a warp must wait at the same instruction."""
AT_CLUSTER = 0x02000000
"""Set beside BLOCKED where a lane is at the barrier of its cluster."""
WAITING = 0x20000000
"""Set while a lane waits at a warp-wide instruction for other lanes."""
YIELDED = 0x10000000
"""A warp function's result when its time slice ended with lanes still able to run."""
BARRIER_SHIFT = 20
MOST_BLOCKS = 1 << BARRIER_SHIFT

SITE_COLUMNS = 5

BACK_EDGE_COST = 64
DISPATCH_COST = 16
"""What a jump backwards and a dispatch take off a warp's time slice."""
