#ifndef KITH_CCURL_H
#define KITH_CCURL_H

#include <curl/curl.h>

// Swift does not call variadic functions: each way in which libcurl's are used has a function here.

// MARK: - Easy handles

static inline CURLcode kith_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode kith_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// Libcurl copies the string.
static inline CURLcode kith_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Libcurl keeps the pointer.
static inline CURLcode kith_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Libcurl keeps the list.
static inline CURLcode kith_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets who gets the lines of the head, who gets the body, and what both are given beside it.
static inline CURLcode kith_easy_set_receivers(CURL *easy, curl_write_callback head, curl_write_callback body, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  return code;
}

/// Sets who gives the bytes that are sent, and who starts again from the first.
static inline CURLcode kith_easy_set_source(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
  return code;
}

static inline CURLcode kith_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode kith_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode kith_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}

// MARK: - Multi handles

static inline CURLMcode kith_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Sets who is told which sockets to watch and when the next time-out is.
static inline CURLMcode kith_multi_set_watcher(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code;
}

/// The next transfer that has ended: its handle and how it went. Null when there is none.
static inline CURL *kith_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

// MARK: - Constants that Swift does not import: macros with casts

static const curl_socket_t KITH_CURL_SOCKET_TIMEOUT = CURL_SOCKET_TIMEOUT;
static const long KITH_CURLAUTH_BASIC = CURLAUTH_BASIC;
static const long KITH_CURLAUTH_BEARER = CURLAUTH_BEARER;

#endif
