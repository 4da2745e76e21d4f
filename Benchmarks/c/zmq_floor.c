// The floor for the transport: raw libzmq in C, with the sockets and frames that the Swift wrapper is measured with.
//
// usage: zmq_floor rtt|ping|oneway ipc|tcp SIZE COUNT [curve]
// build: cc -O2 -o zmq_floor zmq_floor.c -lzmq -lpthread
//
// Client and server are threads with a context each, but for ping: there the server is another process, as kithd is one to
// its clients, and answers with the frames of kithd. One JSON line on standard output: oneway reports messages per second,
// rtt and ping the percentiles of a round trip in microseconds.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

// The mark is libzmq's default. Without one a sender runs ahead by gigabytes, and what is measured is the kernel giving memory.
enum { MAX_FRAMES = 12, WARM_UP = 1000, HIGH_WATER_MARK = 1000 };

static const char *mode, *transport;
static int size, count, curve;
static char server_public[41], server_secret[41], client_public[41], client_secret[41];
static char endpoint[256];

static void check(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
  }
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void set_int(void *socket, int option, int value) {
  check(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "zmq_setsockopt");
}

static void *open_socket(void *context, int type) {
  void *socket = zmq_socket(context, type);
  check(socket != NULL, "zmq_socket");
  set_int(socket, ZMQ_SNDHWM, HIGH_WATER_MARK);
  set_int(socket, ZMQ_RCVHWM, HIGH_WATER_MARK);
  set_int(socket, ZMQ_LINGER, 0);
  return socket;
}

static void send_frame(void *socket, const void *bytes, size_t length, int more) {
  zmq_msg_t frame;
  check(zmq_msg_init_size(&frame, length) == 0, "zmq_msg_init_size");
  memcpy(zmq_msg_data(&frame), bytes, length);
  check(zmq_msg_send(&frame, socket, more ? ZMQ_SNDMORE : 0) != -1, "zmq_msg_send");
}

// The frames of a `System/Ping` and of its answer: tag, kind, service, type of content, header, body. The header of the
// answer has the time of the hub besides.
static void send_frames(void *socket, const char *kind, const char *header, size_t length, const char *body, size_t body_size) {
  send_frame(socket, "KTHC01", 6, 1);
  send_frame(socket, kind, 1, 1);
  send_frame(socket, "kith.v1.System/Ping", 19, 1);
  send_frame(socket, "pb", 2, 1);
  send_frame(socket, header, length, 1);
  send_frame(socket, body, body_size, 0);
}

#define REQUEST_ID "\n$6f9619ff-8b86-d011-b42d-00cf4fc964ff"

static void send_ping(void *socket, const char *body) {
  static const char header[] = REQUEST_ID;
  send_frames(socket, "\x01", header, sizeof header - 1, body, size);
}

static void send_pong(void *socket) {
  static const char header[] = REQUEST_ID "*\x0c\x08\xc0\x8f\xed\xdb\x06\x10\xff\xff\xff\xee\x01";
  send_frames(socket, "\x03", header, sizeof header - 1, "", 0);
}

static int receive_message(void *socket, zmq_msg_t *frames) {
  int n = 0;
  do {
    check(n < MAX_FRAMES && zmq_msg_recv(&frames[n], socket, 0) != -1, "zmq_msg_recv");
  } while (zmq_msg_more(&frames[n++]));
  return n;
}

static void send_message(void *socket, zmq_msg_t *frames, int n) {
  for (int i = 0; i < n; i++)
    check(zmq_msg_send(&frames[i], socket, i < n - 1 ? ZMQ_SNDMORE : 0) != -1, "zmq_msg_send");
}

static void init_frames(zmq_msg_t *frames) {
  for (int i = 0; i < MAX_FRAMES; i++) zmq_msg_init(&frames[i]);
}

static void *serve(void *router) {
  zmq_msg_t frames[MAX_FRAMES];
  init_frames(frames);
  if (strcmp(mode, "rtt") == 0) {
    for (int i = 0; i < count + WARM_UP; i++) send_message(router, frames, receive_message(router, frames));
    return NULL;
  }
  if (strcmp(mode, "ping") == 0) {
    for (int i = 0; i < count + WARM_UP; i++) {
      receive_message(router, frames);
      check(zmq_msg_send(&frames[0], router, ZMQ_SNDMORE) != -1, "zmq_msg_send");
      send_pong(router);
    }
    return NULL;
  }
  int64_t start = 0;
  for (int i = 0; i < count + WARM_UP; i++) {
    if (i == WARM_UP) start = now_ns();
    receive_message(router, frames);
  }
  double seconds = (now_ns() - start) / 1e9;
  printf("{\"peer\":\"c\",\"mode\":\"oneway\",\"transport\":\"%s\",\"curve\":%s,\"size\":%d,\"count\":%d,\"per_second\":%.0f}\n",
         transport, curve ? "true" : "false", size, count, count / seconds);
  return NULL;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void measure_round_trips(void *dealer, const char *body) {
  zmq_msg_t frames[MAX_FRAMES];
  init_frames(frames);
  int64_t *times = malloc(sizeof *times * count);
  for (int i = -WARM_UP; i < count; i++) {
    int64_t start = now_ns();
    send_ping(dealer, body);
    receive_message(dealer, frames);
    if (i >= 0) times[i] = now_ns() - start;
  }
  qsort(times, count, sizeof *times, ascending);
  printf("{\"peer\":\"c\",\"mode\":\"%s\",\"transport\":\"%s\",\"curve\":%s,\"size\":%d,\"count\":%d,\"p50_us\":%.1f,\"p99_us\":%.1f}\n",
         mode, transport, curve ? "true" : "false", size, count, times[count / 2] / 1e3, times[count / 100 * 99] / 1e3);
  free(times);
}

// On a thread of its own, as the server: the main thread has another part of malloc's memory, which grows in other steps.
static void *ask(void *dealer) {
  char *body = calloc(1, size + 1);
  if (strcmp(mode, "oneway") == 0) {
    for (int i = 0; i < count + WARM_UP; i++) send_frame(dealer, body, size, 0);
  } else {
    measure_round_trips(dealer, body);
  }
  free(body);
  return NULL;
}

static void *open_server(void *context) {
  void *router = open_socket(context, ZMQ_ROUTER);
  if (curve) {
    set_int(router, ZMQ_CURVE_SERVER, 1);
    check(zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, server_secret, 41) == 0, "zmq_setsockopt");
  }
  char path[64], address[128];
  snprintf(path, sizeof path, "/tmp/zmq_floor.%d.sock", (int)getpid());
  snprintf(address, sizeof address, strcmp(transport, "ipc") == 0 ? "ipc://%s" : "tcp://127.0.0.1:*", path);
  check(zmq_bind(router, address) == 0, "zmq_bind");
  size_t length = sizeof endpoint;
  check(zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, endpoint, &length) == 0, "zmq_getsockopt");
  return router;
}

static void *open_client(void *context) {
  void *dealer = open_socket(context, ZMQ_DEALER);
  if (curve) {
    check(zmq_setsockopt(dealer, ZMQ_CURVE_SERVERKEY, server_public, 41) == 0, "zmq_setsockopt");
    check(zmq_setsockopt(dealer, ZMQ_CURVE_PUBLICKEY, client_public, 41) == 0, "zmq_setsockopt");
    check(zmq_setsockopt(dealer, ZMQ_CURVE_SECRETKEY, client_secret, 41) == 0, "zmq_setsockopt");
  }
  check(zmq_connect(dealer, endpoint) == 0, "zmq_connect");
  return dealer;
}

static void remove_endpoint(void) {
  if (strncmp(endpoint, "ipc://", 6) == 0) unlink(endpoint + 6);
}

static pthread_t start(void *(*body)(void *), void *socket) {
  pthread_t thread;
  check(pthread_create(&thread, NULL, body, socket) == 0, "pthread_create");
  return thread;
}

// Seconds after which ping ends: each side would wait for ever for one that has died.
enum { LIMIT = 120 };

// A server in a process of its own, which ends when `lifeline` is closed at the other end: before that its last answer may be
// under way.
static pid_t fork_server(int *lifeline) {
  int told[2], held[2];
  check(pipe(told) == 0 && pipe(held) == 0, "pipe");
  pid_t child = fork();
  check(child != -1, "fork");
  if (child == 0) {
    alarm(LIMIT);
    close(told[0]), close(held[1]);
    void *context = zmq_ctx_new(), *router = open_server(context);
    check(write(told[1], endpoint, sizeof endpoint) == sizeof endpoint, "write");
    pthread_join(start(serve, router), NULL);
    char end;
    check(read(held[0], &end, 1) == 0, "read");
    zmq_close(router);
    zmq_ctx_term(context);
    exit(0);
  }
  close(told[1]), close(held[0]);
  check(read(told[0], endpoint, sizeof endpoint) == sizeof endpoint, "read");
  close(told[0]);
  *lifeline = held[1];
  return child;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: zmq_floor rtt|ping|oneway ipc|tcp SIZE COUNT [curve]\n");
    return 2;
  }
  mode = argv[1], transport = argv[2], size = atoi(argv[3]), count = atoi(argv[4]);
  curve = argc > 5 && strcmp(argv[5], "curve") == 0;
  if (curve) {
    check(zmq_curve_keypair(server_public, server_secret) == 0, "zmq_curve_keypair");
    check(zmq_curve_keypair(client_public, client_secret) == 0, "zmq_curve_keypair");
  }

  if (strcmp(mode, "ping") == 0) {
    int lifeline, status;
    pid_t server = fork_server(&lifeline);
    alarm(LIMIT);
    void *context = zmq_ctx_new(), *dealer = open_client(context);
    pthread_join(start(ask, dealer), NULL);
    close(lifeline);
    check(waitpid(server, &status, 0) == server && status == 0, "server");
    zmq_close(dealer);
    zmq_ctx_term(context);
    remove_endpoint();
    return 0;
  }
  // Two contexts, as two processes have.
  void *server_context = zmq_ctx_new(), *client_context = zmq_ctx_new();
  void *router = open_server(server_context), *dealer = open_client(client_context);
  pthread_t server = start(serve, router), client = start(ask, dealer);
  pthread_join(client, NULL);
  pthread_join(server, NULL);
  zmq_close(dealer), zmq_close(router);
  zmq_ctx_term(client_context), zmq_ctx_term(server_context);
  remove_endpoint();
  return 0;
}
