#ifndef KITH_CCERTIFICATES_H
#define KITH_CCERTIFICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that a function has made. Free them with `kith_free`.
struct kith_bytes {
  uint8_t *start;
  size_t count;
};

void kith_free(struct kith_bytes bytes);

/// A certificate with its private key, both as PEM.
struct kith_pair {
  struct kith_bytes certificate;
  struct kith_bytes key;
};

/// Makes a certificate authority: a P-256 key and a certificate that it has signed itself.
///
/// `name` is its common name. `constraints` is the value of the extension nameConstraints as x509v3_config(5) writes it. Times are seconds
/// since 1970. Returns false if libcrypto fails; `error` then has its words.
bool kith_make_authority(
  const char *name, const char *constraints, int64_t from, int64_t until, struct kith_pair *made,
  char *error, size_t error_size);

/// Makes a certificate of a server, signed by the authority, with a P-256 key of its own.
///
/// `names` is the value of the extension subjectAltName as x509v3_config(5) writes it.
bool kith_make_leaf(
  const uint8_t *authority, size_t authority_size, const uint8_t *key, size_t key_size,
  const char *name, const char *names, int64_t from, int64_t until, struct kith_pair *made,
  char *error, size_t error_size);

/// Whether the authority's name constraints let it sign for a name, which is written as in `kith_make_leaf`.
///
/// A certificate with one name that is not permitted is refused by clients whatever its other names are.
bool kith_authority_permits(const uint8_t *authority, size_t size, const char *name);

/// What a file of certificates says.
struct kith_certificate {
  /// How many certificates there are; 0 = the text has none.
  int count;
  /// Seconds since 1970, of the first certificate.
  int64_t from;
  int64_t until;
  /// Whether the key belongs to the first certificate. False also if the key cannot be read.
  bool key_matches;
  /// Whether the text of the key has a private key that can be read without a password.
  bool has_key;
  /// Whether each certificate is signed by the next one.
  bool is_in_order;
};

/// Reads certificates and, with a `key_size` of more than 0, compares the key.
void kith_read_certificate(
  const uint8_t *chain, size_t chain_size, const uint8_t *key, size_t key_size,
  struct kith_certificate *found);

/// Whether the first certificate is valid for a host name or an address.
bool kith_certificate_names(const uint8_t *chain, size_t chain_size, const char *name);

/// The DER of the first certificate; empty if the text has none.
struct kith_bytes kith_certificate_der(const uint8_t *chain, size_t chain_size);

#endif
