/* Threads that stay between launches, as `crew.h` has them: each waits for work, does it, and waits again. */
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct VgHand {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void *(*work)(void *); /* NULL: nothing to do */
    void *argument;
    VgHand *next; /* of those that are free */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VgHand *free_hands;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_all(void) { pthread_mutex_lock(&lock); }
static void unlock_all(void) { pthread_mutex_unlock(&lock); }

/* A forked process has none of the threads. */
static void forget_all(void)
{
    free_hands = NULL;
    pthread_mutex_unlock(&lock);
}

static void begin(void) { pthread_atfork(lock_all, unlock_all, forget_all); }

static void *serve(void *argument)
{
    VgHand *hand = argument;
    pthread_mutex_lock(&hand->lock);
    for (;;) {
        while (!hand->work)
            pthread_cond_wait(&hand->changed, &hand->lock);
        pthread_mutex_unlock(&hand->lock);
        hand->work(hand->argument);
        pthread_mutex_lock(&hand->lock);
        hand->work = NULL;
        pthread_cond_signal(&hand->changed);
    }
    return NULL;
}

/* Starts a thread that no signal of the process is given to: who waits for one must be woken by it. */
static int start(VgHand *hand)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, serve, hand);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        pthread_detach(thread);
    return failed;
}

static VgHand *take_free(void)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
    VgHand *hand = free_hands;
    if (hand)
        free_hands = hand->next;
    pthread_mutex_unlock(&lock);
    return hand;
}

static VgHand *new_hand(void)
{
    VgHand *hand = calloc(1, sizeof *hand);
    if (!hand)
        return NULL;
    pthread_mutex_init(&hand->lock, NULL);
    pthread_cond_init(&hand->changed, NULL);
    if (!start(hand))
        return hand;
    free(hand);
    return NULL;
}

VgHand *vg_hire(void *(*work)(void *), void *argument)
{
    VgHand *hand = take_free();
    if (!hand && !(hand = new_hand()))
        return NULL;
    pthread_mutex_lock(&hand->lock);
    hand->argument = argument;
    hand->work = work;
    pthread_cond_signal(&hand->changed);
    pthread_mutex_unlock(&hand->lock);
    return hand;
}

void vg_dismiss(VgHand *hand)
{
    pthread_mutex_lock(&hand->lock);
    while (hand->work)
        pthread_cond_wait(&hand->changed, &hand->lock);
    pthread_mutex_unlock(&hand->lock);
    pthread_mutex_lock(&lock);
    hand->next = free_hands;
    free_hands = hand;
    pthread_mutex_unlock(&lock);
}
