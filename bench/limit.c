// Hand-written loops that read R once, for bench/limit.py: the limit of the machine. It compiles them with -O3.
#include <stdint.h>
#include <stddef.h>

// OR of all words: only loads.
uint64_t read_words(const uint64_t *w, size_t n) {
  uint64_t seen = 0;
  for (size_t i = 0; i < n; i++) seen |= w[i];
  return seen;
}

// Successes of each row of 64 bytes of 0 and 1, and how many rows have 0..64 of them; returns the bits seen.
uint64_t binary(const uint64_t *w, size_t rows, uint8_t *out, int64_t *histogram) {
  uint64_t seen = 0;
  for (size_t i = 0; i < rows; i++, w += 8) {
    uint64_t sum = 0;
    for (int j = 0; j < 8; j++) sum += w[j], seen |= w[j];
    sum = (sum & 0x00FF00FF00FF00FF) + ((sum >> 8) & 0x00FF00FF00FF00FF);
    sum = (sum * 0x0001000100010001) >> 48;
    out[i] = sum;
    histogram[sum]++;
  }
  return seen;
}

// Counts of the categories 1..4 of each row of 64 bytes, as out[category - 1][row]; returns the bits seen.
uint64_t five(const uint64_t *w, size_t rows, uint8_t *out, size_t stride) {
  const uint64_t ones = 0x0101010101010101;
  uint64_t seen = 0;
  for (size_t i = 0; i < rows; i++, w += 8) {
    uint64_t a = 0, b = 0, c = 0, ab = 0;  // bytes with bit 0, 1, 2 of the category, and with bits 0 and 1: category 3
    for (int j = 0; j < 8; j++) {
      uint64_t x = w[j] & ones, y = (w[j] >> 1) & ones, z = (w[j] >> 2) & ones;
      seen |= w[j];
      a += x, b += y, c += z, ab += x & y;
    }
    uint8_t three = (ab * ones) >> 56;
    out[i] = (uint8_t)((a * ones) >> 56) - three;
    out[stride + i] = (uint8_t)((b * ones) >> 56) - three;
    out[2 * stride + i] = three;
    out[3 * stride + i] = (c * ones) >> 56;
  }
  return seen;
}
