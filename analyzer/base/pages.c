/*
 * pages.c - a short list of free stretches of pages.
 *
 * Role      : the large blocks of mem.c.
 * Method    : stretches are sorted by address and joined with their neighbours; a block is cut from the shortest
 *             one that has room. What no stretch has room for is mapped afresh.
 * Invariant : no two stretches touch or overlap; their bytes are `kept`, whole pages each.
 * Not here  : how much may be kept (mem.c).
 */
#include "analyzer/base/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Stages have some dozens of large blocks; a stretch that finds no place goes back to the system. */
#define STRETCHES_MAX 256u

struct stretch {
	uint8_t *at;
	size_t bytes;
};

static struct stretch stretches[STRETCHES_MAX];
static uint32_t stretch_count;
static size_t kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void remove_stretch(uint32_t i)
{
	stretch_count--;
	memmove(&stretches[i], &stretches[i + 1], (stretch_count - i) * sizeof(stretches[0]));
}

/* With the lock held: @bytes from what is kept; NULL: no stretch is long enough. */
static void *cut(size_t bytes)
{
	uint32_t best = stretch_count;
	void *p;

	for (uint32_t i = 0; i < stretch_count; i++) {
		if (stretches[i].bytes >= bytes &&
		    (best == stretch_count || stretches[i].bytes < stretches[best].bytes))
			best = i;
	}
	if (best == stretch_count)
		return NULL;
	p = stretches[best].at;
	stretches[best].at += bytes;
	stretches[best].bytes -= bytes;
	kept -= bytes;
	if (!stretches[best].bytes)
		remove_stretch(best);
	return p;
}

/* With the lock held. False: there is no place for it. */
static bool keep(uint8_t *at, size_t bytes)
{
	uint32_t i = 0;
	bool joins_before, joins_after;

	while (i < stretch_count && stretches[i].at < at)
		i++;
	joins_before = i && stretches[i - 1].at + stretches[i - 1].bytes == at;
	joins_after = i < stretch_count && at + bytes == stretches[i].at;
	if (joins_before) {
		stretches[i - 1].bytes += bytes;
		if (joins_after) {
			stretches[i - 1].bytes += stretches[i].bytes;
			remove_stretch(i);
		}
	} else if (joins_after) {
		stretches[i].at = at;
		stretches[i].bytes += bytes;
	} else if (stretch_count < STRETCHES_MAX) {
		memmove(&stretches[i + 1], &stretches[i],
			(stretch_count - i) * sizeof(stretches[0]));
		stretches[i] = (struct stretch){at, bytes};
		stretch_count++;
	} else {
		return false;
	}
	kept += bytes;
	return true;
}

void *gst_pages_alloc(size_t bytes, size_t spare_bytes)
{
	size_t whole = whole_pages(bytes);
	void *p;

	if (whole < bytes)
		return NULL;
	pthread_mutex_lock(&lock);
	p = cut(whole);
	pthread_mutex_unlock(&lock);
	if (p)
		return memset(p, 0, bytes);
	gst_pages_trim(spare_bytes);
	p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void gst_pages_free(void *p, size_t bytes)
{
	size_t whole = whole_pages(bytes);
	bool is_kept;

	pthread_mutex_lock(&lock);
	is_kept = keep(p, whole);
	pthread_mutex_unlock(&lock);
	if (!is_kept)
		(void)munmap(p, whole);
}

/* To map a page costs as much as to copy so many. */
#define COPIES_OF_A_MAPPING 4u

/*
 * The block of @bytes at @p, which is to have @new_whole, to where pages are kept, if that is cheaper than to map
 * what is added. NULL: it is not, or there is no such place.
 */
static void *move(void *p, size_t bytes, size_t new_whole)
{
	void *q;

	if ((new_whole - bytes) * COPIES_OF_A_MAPPING < bytes)
		return NULL;
	pthread_mutex_lock(&lock);
	q = cut(new_whole);
	pthread_mutex_unlock(&lock);
	if (!q)
		return NULL;
	memcpy(q, p, bytes);
	gst_pages_free(p, bytes);
	return q;
}

void *gst_pages_realloc(void *p, size_t old_bytes, size_t new_bytes, size_t spare_bytes)
{
	size_t old_whole = whole_pages(old_bytes);
	size_t new_whole = whole_pages(new_bytes);
	void *q;

	if (new_whole < new_bytes)
		return NULL;
	if (new_whole < old_whole)
		gst_pages_free((uint8_t *)p + new_whole, old_whole - new_whole);
	if (new_whole <= old_whole)
		return p;
	q = move(p, old_bytes, new_whole);
	if (q)
		return q;
	gst_pages_trim(spare_bytes);
	/* Pages are moved, not bytes; the system refuses where a block is of several mappings. */
	q = mremap(p, old_whole, new_whole, MREMAP_MAYMOVE);
	if (q != MAP_FAILED)
		return q;
	q = gst_pages_alloc(new_bytes, 0);
	if (!q)
		return NULL;
	memcpy(q, p, old_bytes);
	gst_pages_free(p, old_bytes);
	return q;
}

void gst_pages_trim(size_t most_bytes)
{
	pthread_mutex_lock(&lock);
	while (kept > most_bytes) {
		struct stretch *last = &stretches[stretch_count - 1];
		size_t more = whole_pages(kept - most_bytes);
		size_t bytes = last->bytes < more ? last->bytes : more;

		last->bytes -= bytes;
		kept -= bytes;
		(void)munmap(last->at + last->bytes, bytes);
		if (!last->bytes)
			stretch_count--;
	}
	pthread_mutex_unlock(&lock);
}

size_t gst_pages_kept(void)
{
	size_t bytes;

	pthread_mutex_lock(&lock);
	bytes = kept;
	pthread_mutex_unlock(&lock);
	return bytes;
}
