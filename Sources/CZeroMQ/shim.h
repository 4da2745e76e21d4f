#ifndef KITH_CZEROMQ_H
#define KITH_CZEROMQ_H

#include <zmq.h>

// zmq.h shows these only to programs that ask for the draft API; the release library honours both all the same.
static const int KITH_ZMQ_ZAP_ENFORCE_DOMAIN = 93;
static const int KITH_ZMQ_ZERO_COPY_RECV = 10;

// Swift imports these only as macros of sums, which it cannot evaluate.
static const int KITH_ETERM = ETERM;
static const int KITH_EFSM = EFSM;

#endif
