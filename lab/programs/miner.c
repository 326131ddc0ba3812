/* Does what a miner does to a machine: keeps a connection to its pool and hashes on several threads. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *hash(void *seed) {
    volatile uint64_t state = (uint64_t)(uintptr_t)seed;
    for (;;) state = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9ull;
    return NULL;
}

int main(int count, char **words) {
    char host[64] = "";
    int port = 0, threads = 1;
    for (int at = 1; at + 1 < count; at++) {
        if (!strcmp(words[at], "-o")) sscanf(words[at + 1], "stratum+tcp://%63[^:]:%d", host, &port);
        if (!strcmp(words[at], "-t")) threads = atoi(words[at + 1]);
    }
    struct sockaddr_in pool = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &pool.sin_addr);
    int line = socket(AF_INET, SOCK_STREAM, 0);
    connect(line, (struct sockaddr *)&pool, sizeof pool);
    for (long each = 1; each <= threads; each++) {
        pthread_t one;
        pthread_create(&one, NULL, hash, (void *)(uintptr_t)(each * 7919));
    }
    pause();
}
