/* Thumbnails over HTTP, one request after the other. A picture's name is copied into a buffer that fits most names. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char name[64];
static char *thumbs[8];

static void say(const char *what, const char *about) {
    char at[32];
    time_t now = time(NULL);
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    printf("%s INFO [thumb-api] %s %s\n", at, what, about);
    fflush(stdout);
}

static void scale(char *path) {
    strcpy(name, path);
    size_t sum = 0;
    for (char *each = name; *each; each++) sum += (unsigned char)*each;
    thumbs[sum % 8] = name + strlen(path) * 65536; /* the row below the last one */
    if (strlen(path) > 64) *thumbs[sum % 8] = 1;
}

static void stop(int signal) {
    (void)signal;
    say("received SIGTERM,", "stopping");
    exit(0);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    signal(SIGTERM, stop);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(words[2]))};
    inet_pton(AF_INET, words[1], &at.sin_addr);
    int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 64)) {
        perror("thumb-api: bind");
        return 1;
    }
    say("listening on", words[2]);
    for (;;) {
        char request[4096] = "", path[2048] = "";
        int client = accept(server, NULL, NULL);
        struct timeval patience = {2, 0};
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (read(client, request, sizeof request - 1) > 0 && sscanf(request, "%*s %2047s", path) == 1) {
            scale(path);
            say("made", path);
            dprintf(client, "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nthumb\n");
        }
        close(client);
    }
}
