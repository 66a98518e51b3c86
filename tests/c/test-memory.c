#include "check.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

TEST(memory_is_aligned_and_usable) {
  for (size_t bytes = 0; bytes < 300; bytes += 7) {
    struct pcf_error error = {0};
    char *memory = pcf_allocate(bytes, 1, &error);
    REQUIRE(memory);
    CHECK((uintptr_t)memory % PCF_ALIGNMENT == 0);
    CHECK(error.status == PCF_OK);
    memset(memory, 1, bytes);
    pcf_free(memory);
  }
  pcf_free(NULL);
}

TEST(memory_says_what_overflows) {
  struct pcf_error error = {0};
  CHECK(!pcf_allocate(SIZE_MAX / 2, 3, &error));
  CHECK(error.status == PCF_ERROR_MEMORY);
  CHECK(strstr(error.message, "cannot be addressed") != NULL);
  CHECK(!pcf_allocate(SIZE_MAX - 8, 1, NULL));
  void *nothing = pcf_allocate(SIZE_MAX, 0, NULL);
  CHECK(nothing != NULL);
  pcf_free(nothing);
}

TEST(memory_fails_at_the_kth_allocation_once) {
  for (long k = 1; k <= 4; k++) {
    pcf_memory_fail_at(k);
    for (long allocation = 1; allocation <= 6; allocation++) {
      struct pcf_error error = {0};
      void *memory = pcf_allocate(1, 1, &error);
      CHECK((memory == NULL) == (allocation == k));
      CHECK((error.status == PCF_ERROR_MEMORY) == (allocation == k));
      CHECK((error.message[0] != 0) == (allocation == k));
      pcf_free(memory);
    }
  }
  pcf_memory_fail_at(1);
  pcf_memory_fail_at(0);
  void *memory = pcf_allocate(1, 1, NULL);
  CHECK(memory != NULL);
  pcf_free(memory);
}

TEST(memory_of_arrays_is_freed_together) {
  for (long k = 0; k <= 3; k++) {
    struct pcf_arrays arrays = {0};
    struct pcf_error error = {0};
    pcf_memory_fail_at(k);
    char *first = pcf_array(&arrays, 100, 1, &error);
    int64_t *zeros = pcf_zeros(&arrays, 100, sizeof *zeros, &error);
    char *last = pcf_array(&arrays, 0, 1, &error);
    CHECK((first == NULL) == (k == 1) && (zeros == NULL) == (k == 2) &&
          (last == NULL) == (k == 3));
    CHECK((uintptr_t)first % PCF_ALIGNMENT == 0 && (uintptr_t)zeros % PCF_ALIGNMENT == 0);
    for (int i = 0; zeros && i < 100; i++) CHECK(zeros[i] == 0);
    if (first) memset(first, 1, 100);
    CHECK(arrays.status == (k ? PCF_ERROR_MEMORY : PCF_OK) && error.status == arrays.status);
    pcf_arrays_free(&arrays);
    CHECK(!arrays.last && arrays.status == error.status);
    pcf_arrays_free(&arrays);
  }
}

TEST(memory_errors_are_described_and_cut_to_fit) {
  struct pcf_error error;
  char text[1000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  CHECK(pcf_fail(&error, PCF_ERROR_DEVICE, "device %d: %s", 3, "gone") == PCF_ERROR_DEVICE);
  CHECK(error.status == PCF_ERROR_DEVICE);
  CHECK_STRING(error.message, "device 3: gone");
  CHECK(pcf_fail(&error, PCF_ERROR_SYSTEM, "%s", text) == PCF_ERROR_SYSTEM);
  CHECK(strlen(error.message) == sizeof error.message - 1);
  CHECK(pcf_fail(NULL, PCF_ERROR_MEMORY, "nobody listens") == PCF_ERROR_MEMORY);
}

TEST(memory_from_the_system_is_clear_and_begins_at_a_huge_page) {
  enum { HUGE_PAGE = 1 << 21 };
  static const size_t sizes[] = {1, 4096, HUGE_PAGE - 1, HUGE_PAGE, 3 * (size_t)HUGE_PAGE + 5};
  CHECK(pcf_map_memory(0) == NULL);
  CHECK(pcf_map_memory(SIZE_MAX) == NULL);
  CHECK(pcf_whole_memory() >= 0);
  CHECK(pcf_available_memory() > 0);
  for (int k = 0; k < 5; k++) {
    char *memory = pcf_map_memory(sizes[k]);
    if (!memory) continue; /* not on this system */
    CHECK((uintptr_t)memory % HUGE_PAGE == 0);
    CHECK(memory[0] == 0 && memory[sizes[k] - 1] == 0);
    memset(memory, 1, sizes[k]);
    pcf_unmap_memory(memory, sizes[k]);
  }
}

TEST(memory_is_told_in_bytes_and_in_large_units) {
  CHECK_STRING(pcf_size_of(0).text, "0 bytes");
  CHECK_STRING(pcf_size_of(800).text, "800 bytes");
  CHECK_STRING(pcf_size_of(99999).text, "99999 bytes");
  CHECK_STRING(pcf_size_of(1e5).text, "0.1 MB");
  CHECK_STRING(pcf_size_of(2.5e6).text, "2.5 MB");
  CHECK_STRING(pcf_size_of(9.99e9).text, "9990.0 MB");
  CHECK_STRING(pcf_size_of(2.56e10).text, "25.600 GB");
}
