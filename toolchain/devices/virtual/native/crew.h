/* Threads that stay between launches: one that is made anew costs more than a short launch. */
#ifndef VG_CREW_H
#define VG_CREW_H

typedef struct VgHand VgHand;

/* Has `work(argument)` done by a thread; NULL where there is none to be had. */
VgHand *vg_hire(void *(*work)(void *), void *argument);

/* Waits until it is done; others may hire the thread then. */
void vg_dismiss(VgHand *hand);

#endif
