#include "CCertificates.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

void kith_free(struct kith_bytes bytes) {
  // It may have been a private key.
  if (bytes.start != NULL) OPENSSL_cleanse(bytes.start, bytes.count);
  free(bytes.start);
}

static struct kith_bytes contents(BIO *bio) {
  struct kith_bytes bytes = {NULL, 0};
  char *start = NULL;
  long count = BIO_get_mem_data(bio, &start);
  if (count <= 0) return bytes;
  bytes.start = malloc((size_t)count);
  if (bytes.start == NULL) return bytes;
  memcpy(bytes.start, start, (size_t)count);
  bytes.count = (size_t)count;
  return bytes;
}

static X509 *read_certificate(const uint8_t *text, size_t size) {
  BIO *bio = BIO_new_mem_buf(text, (int)size);
  X509 *certificate = bio != NULL ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
  BIO_free(bio);
  return certificate;
}

/// Asks for no password: a key that needs one is not read.
static int no_password(char *buffer, int size, int is_written, void *data) {
  (void)buffer, (void)size, (void)is_written, (void)data;
  return -1;
}

static EVP_PKEY *read_key(const uint8_t *text, size_t size) {
  BIO *bio = BIO_new_mem_buf(text, (int)size);
  EVP_PKEY *key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
  BIO_free(bio);
  return key;
}

static bool add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  bool is_added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

/// A new certificate of version 3 with a random serial number of 159 bits (RFC 5280, 4.1.2.2), without issuer, extensions and signature.
static X509 *begin(EVP_PKEY *key, const char *name, int64_t from, int64_t until) {
  X509 *certificate = X509_new();
  BIGNUM *serial = BN_new();
  bool is_made = certificate != NULL && serial != NULL && X509_set_version(certificate, X509_VERSION_3) == 1
    && BN_rand(serial, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
    && BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != NULL
    && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)from) != NULL
    && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)until) != NULL && X509_set_pubkey(certificate, key) == 1
    && X509_NAME_add_entry_by_txt(
         X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) == 1;
  BN_free(serial);
  if (is_made) return certificate;
  X509_free(certificate);
  return NULL;
}

static bool write_pair(X509 *certificate, EVP_PKEY *key, struct kith_pair *made) {
  BIO *texts[2] = {BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())};
  bool is_written = texts[0] != NULL && texts[1] != NULL && PEM_write_bio_X509(texts[0], certificate) == 1
    && PEM_write_bio_PrivateKey(texts[1], key, NULL, NULL, 0, NULL, NULL) == 1;
  if (is_written) {
    made->certificate = contents(texts[0]);
    made->key = contents(texts[1]);
    is_written = made->certificate.start != NULL && made->key.start != NULL;
    if (!is_written) {
      kith_free(made->certificate);
      kith_free(made->key);
      memset(made, 0, sizeof *made);
    }
  }
  BIO_free(texts[0]);
  BIO_free(texts[1]);
  return is_written;
}

/// The error that was met last, which is the nearest to the cause that this code knows of.
static bool told(bool is_made, char *error, size_t size) {
  if (!is_made) ERR_error_string_n(ERR_peek_last_error(), error, size);
  ERR_clear_error();
  return is_made;
}

bool kith_make_authority(
  const char *name, const char *constraints, int64_t from, int64_t until, struct kith_pair *made, char *error, size_t error_size) {
  ERR_clear_error();
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = key != NULL ? begin(key, name, from, until) : NULL;
  bool is_made = certificate != NULL && X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1
    && add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
    && add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign")
    && add_extension(certificate, certificate, NID_name_constraints, constraints)
    && add_extension(certificate, certificate, NID_subject_key_identifier, "hash")
    && X509_sign(certificate, key, EVP_sha256()) > 0 && write_pair(certificate, key, made);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return told(is_made, error, error_size);
}

bool kith_make_leaf(
  const uint8_t *authority, size_t authority_size, const uint8_t *authority_key, size_t authority_key_size, const char *name,
  const char *names, int64_t from, int64_t until, struct kith_pair *made, char *error, size_t error_size) {
  ERR_clear_error();
  X509 *issuer = read_certificate(authority, authority_size);
  EVP_PKEY *issuer_key = read_key(authority_key, authority_key_size), *key = EVP_EC_gen("P-256");
  X509 *certificate = issuer != NULL && issuer_key != NULL && key != NULL ? begin(key, name, from, until) : NULL;
  bool is_made = certificate != NULL && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1
    && add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE")
    && add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature")
    && add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth")
    && add_extension(certificate, issuer, NID_subject_alt_name, names)
    && add_extension(certificate, issuer, NID_subject_key_identifier, "hash")
    && add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always")
    && X509_sign(certificate, issuer_key, EVP_sha256()) > 0 && write_pair(certificate, key, made);
  X509_free(certificate);
  X509_free(issuer);
  EVP_PKEY_free(key);
  EVP_PKEY_free(issuer_key);
  return told(is_made, error, error_size);
}

bool kith_authority_permits(const uint8_t *authority, size_t size, const char *name) {
  X509 *issuer = read_certificate(authority, size);
  NAME_CONSTRAINTS *constraints =
    issuer != NULL ? X509_get_ext_d2i(issuer, NID_name_constraints, NULL, NULL) : NULL;
  // libcrypto decodes the names of whole certificates alone: this one is signed by a key that nobody keeps.
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *asked = key != NULL ? begin(key, "kith-web", 0, 1) : NULL;
  bool is_permitted = constraints != NULL && asked != NULL
    && X509_set_issuer_name(asked, X509_get_subject_name(issuer)) == 1
    && add_extension(asked, issuer, NID_subject_alt_name, name) && X509_sign(asked, key, EVP_sha256()) > 0
    && X509_check_purpose(asked, -1, 0) == 1 && NAME_CONSTRAINTS_check(asked, constraints) == X509_V_OK;
  X509_free(asked);
  EVP_PKEY_free(key);
  NAME_CONSTRAINTS_free(constraints);
  X509_free(issuer);
  ERR_clear_error();
  return is_permitted;
}

static int64_t seconds(const ASN1_TIME *time) {
  int days = 0, rest = 0;
  ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
  bool is_read = epoch != NULL && ASN1_TIME_diff(&days, &rest, epoch, time) == 1;
  ASN1_TIME_free(epoch);
  return is_read ? (int64_t)days * 86400 + rest : 0;
}

void kith_read_certificate(
  const uint8_t *chain, size_t chain_size, const uint8_t *key_text, size_t key_size, struct kith_certificate *found) {
  memset(found, 0, sizeof *found);
  found->is_in_order = true;
  BIO *bio = BIO_new_mem_buf(chain, (int)chain_size);
  EVP_PKEY *key = key_size > 0 ? read_key(key_text, key_size) : NULL;
  found->has_key = key != NULL;
  X509 *last = NULL, *next = NULL;
  while (bio != NULL && (next = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
    if (found->count == 0) {
      found->from = seconds(X509_get0_notBefore(next));
      found->until = seconds(X509_get0_notAfter(next));
      found->key_matches = key != NULL && X509_check_private_key(next, key) == 1;
    } else {
      found->is_in_order = found->is_in_order && X509_verify(last, X509_get0_pubkey(next)) == 1;
    }
    found->count += 1;
    X509_free(last);
    last = next;
  }
  X509_free(last);
  EVP_PKEY_free(key);
  BIO_free(bio);
  ERR_clear_error();
}

bool kith_certificate_names(const uint8_t *chain, size_t chain_size, const char *name) {
  X509 *certificate = read_certificate(chain, chain_size);
  bool is_named = certificate != NULL
    && (X509_check_ip_asc(certificate, name, 0) == 1 || X509_check_host(certificate, name, 0, 0, NULL) == 1);
  X509_free(certificate);
  ERR_clear_error();
  return is_named;
}

struct kith_bytes kith_certificate_der(const uint8_t *chain, size_t chain_size) {
  struct kith_bytes bytes = {NULL, 0};
  X509 *certificate = read_certificate(chain, chain_size);
  BIO *bio = BIO_new(BIO_s_mem());
  if (certificate != NULL && bio != NULL && i2d_X509_bio(bio, certificate) == 1) bytes = contents(bio);
  BIO_free(bio);
  X509_free(certificate);
  ERR_clear_error();
  return bytes;
}
