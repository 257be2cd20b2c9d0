/* Blocks that are resident together: whose memory an address is in, and their barrier. */
#ifndef VG_CLUSTERS_H
#define VG_CLUSTERS_H

#include "lanes.h"
#include "residents.h"

/* Puts a block that has begun into a cluster, as the next rank. */
void vg_cluster_enter(VgCluster *cluster, VgBlock *block);

/* Whether all blocks have come to their ends. */
int vg_cluster_is_over(const VgCluster *cluster);

/* Lets those who wait at the cluster's barrier go on where all have arrived; whether anybody could. */
int vg_release_cluster(VgCluster *cluster);

/* A block has nothing left to run: ends the launch where nobody in its cluster can change that. */
void vg_check_stuck(VgBlock *block);

#endif
