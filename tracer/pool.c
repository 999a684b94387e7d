/*
 * pool.c - staging memory and its free pages.
 *
 * Role      : threads take pages, the writer gives them back.
 * Method    : one lock-free stack for each size of page; the head carries a change count, so that a
 *             page that was taken and put back meanwhile is noticed. Only the writer pushes.
 * Invariant : a free page is zero from its first byte to its last, and a page in use has a valid
 *             header, whenever the process dies: the magic is stored last and cleared first.
 * Not here  : records (chunk.h), copying to the .gst (writer.c).
 */
#include "tracer/pool.h"
#include "tracer/format/encode.h"
#include "tracer/linebuf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define STRINGS_BYTES_MAX (4u << 20)

/* The shares of the memory: an eighth for strings, a quarter in small pages, the rest in large ones. */
static void lay_out(size_t bytes, size_t *strings, uint32_t *small_count, uint32_t *large_count)
{
	*strings = bytes / 8 / GST_PAGE_LARGE_BYTES * GST_PAGE_LARGE_BYTES;
	if (*strings > STRINGS_BYTES_MAX) {
		*strings = STRINGS_BYTES_MAX;
	}
	*small_count = (uint32_t)(bytes / 4 / GST_PAGE_SMALL_BYTES);
	*large_count = (uint32_t)((bytes - *strings - (size_t)*small_count * GST_PAGE_SMALL_BYTES) /
				  GST_PAGE_LARGE_BYTES);
}

/* On a disk, a store could wait for a write-back. */
static bool is_in_memory(const char *dir)
{
	struct statfs about;

	return !statfs(dir, &about) && (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

/* A new file of @bytes on tmpfs, all of it reserved: a page fault there must not raise SIGBUS. */
static void *map_file(struct gst_pool *pool, const char *dir, size_t bytes, uint64_t uuid_hi,
		      uint64_t uuid_lo)
{
	struct gst_linebuf name;
	void *memory;
	int fd;

	gst_linebuf_init(&name, pool->path, sizeof(pool->path));
	gst_linebuf_add(&name, dir);
	gst_linebuf_add(&name, "/gstrace-");
	gst_linebuf_add_hex(&name, uuid_hi, 16);
	gst_linebuf_add_hex(&name, uuid_lo, 16);
	gst_linebuf_add(&name, ".staging");
	if (name.is_cut) {
		goto fail;
	}
	if (!is_in_memory(dir)) {
		goto fail;
	}
	/*
	 * Nobody may write to it again, the user's own programs included: were it truncated, the next store would
	 * raise SIGBUS in the traced program. This descriptor may.
	 */
	fd = open(pool->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
	if (fd < 0) {
		goto fail;
	}
	/* Whatever the program's mask: its user reads it if the program is killed. */
	(void)fchmod(fd, 0400);
	if (fallocate(fd, 0, 0, (off_t)bytes)) {
		goto fail_fd;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED) {
		goto fail_fd;
	}
	/* A child of fork() shares nothing of it: it must not write here. */
	madvise(memory, bytes, MADV_DONTFORK);
	/* The mapping is enough; a number less that the program may come across. */
	close(fd);
	return memory;

fail_fd:
	close(fd);
	unlink(pool->path);
fail:
	pool->path[0] = '\0';
	return NULL;
}

static void *map_anonymous(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void push_free(struct gst_pool *pool, uint32_t index)
{
	struct gst_page *page = &pool->pages[index];
	_Atomic uint64_t *head = &pool->free[page->size];
	uint64_t before = atomic_load_explicit(head, memory_order_relaxed);
	uint64_t after;

	do {
		atomic_store_explicit(&page->next, (uint32_t)before, memory_order_relaxed);
		after = ((before >> 32) + 1) << 32 | index;
	} while (!atomic_compare_exchange_weak_explicit(head, &before, after, memory_order_release,
							memory_order_relaxed));
	atomic_fetch_add_explicit(&pool->free_count[page->size], 1, memory_order_relaxed);
}

static struct gst_page *pop_free(struct gst_pool *pool, uint32_t size)
{
	_Atomic uint64_t *head = &pool->free[size];
	uint64_t before = atomic_load_explicit(head, memory_order_acquire);
	uint64_t after;
	uint32_t index;

	do {
		index = (uint32_t)before;
		if (index == GST_PAGE_NONE) {
			return NULL;
		}
		/* Read of a page that another may have taken: then the change count differs. */
		after = ((before >> 32) + 1) << 32 |
			atomic_load_explicit(&pool->pages[index].next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(head, &before, after, memory_order_acquire,
							memory_order_acquire));
	atomic_fetch_sub_explicit(&pool->free_count[size], 1, memory_order_relaxed);
	return &pool->pages[index];
}

/* An open chunk that a reader may find at any moment: complete before its magic is there. */
static void open_page(struct gst_pool *pool, struct gst_page *page, uint32_t flags, uint32_t thread,
		      uint32_t segment)
{
	struct gst_chunk_header header;
	uint64_t number = atomic_fetch_add_explicit(&pool->next_number, 1, memory_order_relaxed);

	gst_chunk_init_open(&header, flags, pool->process, thread, segment, number, page->room);
	header.source_page = number;
	gst_chunk_reseal_open(&header);
	memcpy((unsigned char *)page->header + sizeof(header.magic),
	       (const unsigned char *)&header + sizeof(header.magic),
	       sizeof(header) - sizeof(header.magic));
	__atomic_store_n(&page->header->magic, header.magic, __ATOMIC_RELEASE);
	page->segment = segment;
	page->position = 0;
	page->copied = 0;
	atomic_store_explicit(&page->state, GST_PAGE_OPEN, memory_order_release);
}

static void set_up_page(struct gst_pool *pool, uint32_t index, size_t offset, size_t bytes,
			uint32_t size)
{
	struct gst_page *page = &pool->pages[index];

	page->header = (struct gst_chunk_header *)(void *)(pool->memory + offset);
	page->body = pool->memory + offset + sizeof(struct gst_chunk_header);
	page->room = (uint32_t)(bytes - sizeof(struct gst_chunk_header));
	page->size = size;
	page->position = 0;
	page->copied = 0;
	atomic_init(&page->state, GST_PAGE_FREE);
	atomic_init(&page->next, GST_PAGE_NONE);
}

int gst_pool_init(struct gst_pool *pool, const char *dir, size_t bytes, uint64_t uuid_hi,
		  uint64_t uuid_lo, uint32_t process)
{
	uint32_t count[GST_PAGE_SIZES];
	size_t strings, at;
	uint32_t index = 0;

	memset(pool, 0, sizeof(*pool));
	pool->process = process;
	atomic_init(&pool->next_number, 1);
	if (bytes < GST_POOL_BYTES_MIN) {
		bytes = GST_POOL_BYTES_MIN;
	}
	if (bytes > GST_POOL_BYTES_MAX) {
		bytes = GST_POOL_BYTES_MAX;
	}
	bytes = bytes / GST_PAGE_LARGE_BYTES * GST_PAGE_LARGE_BYTES;
	if (dir) {
		for (size_t try = bytes; !pool->memory && try >= GST_POOL_BYTES_MIN; try /= 2) {
			try = try / GST_PAGE_LARGE_BYTES * GST_PAGE_LARGE_BYTES;
			pool->memory = map_file(pool, dir, try, uuid_hi, uuid_lo);
			pool->bytes = try;
		}
	}
	if (!pool->memory) {
		pool->memory = map_anonymous(bytes);
		pool->bytes = bytes;
	}
	if (!pool->memory) {
		return ENOMEM;
	}
	lay_out(pool->bytes, &strings, &count[GST_PAGE_SMALL], &count[GST_PAGE_LARGE]);
	pool->page_count = 1 + count[GST_PAGE_SMALL] + count[GST_PAGE_LARGE];
	pool->pages = map_anonymous(pool->page_count * sizeof(*pool->pages));
	if (!pool->pages) {
		gst_pool_release(pool, true);
		return ENOMEM;
	}
	for (uint32_t size = 0; size < GST_PAGE_SIZES; size++) {
		atomic_init(&pool->free[size], GST_PAGE_NONE);
		atomic_init(&pool->free_count[size], 0);
		pool->total[size] = count[size];
	}
	set_up_page(pool, index++, 0, strings, GST_PAGE_LARGE);
	open_page(pool, &pool->pages[0], GST_CHUNK_DEFS, 0, 0);
	at = strings;
	for (uint32_t size = 0; size < GST_PAGE_SIZES; size++) {
		size_t step = size == GST_PAGE_SMALL ? GST_PAGE_SMALL_BYTES : GST_PAGE_LARGE_BYTES;

		for (uint32_t i = 0; i < count[size]; i++, at += step) {
			set_up_page(pool, index, at, step, size);
			push_free(pool, index++);
		}
	}
	return 0;
}

void gst_pool_unlink(struct gst_pool *pool)
{
	/*
	 * Of a file that may not be removed (the program has given up rights), or that is not to be found (it has another
	 * root now), at least the memory goes.
	 */
	if (pool->path[0] && unlink(pool->path)) {
		(void)madvise(pool->memory, pool->bytes, MADV_REMOVE);
	}
}

void gst_pool_release(struct gst_pool *pool, bool unlink_file)
{
	if (unlink_file) {
		gst_pool_unlink(pool);
	}
	if (pool->pages) {
		munmap(pool->pages, pool->page_count * sizeof(*pool->pages));
	}
	if (pool->memory) {
		munmap(pool->memory, pool->bytes);
	}
	memset(pool, 0, sizeof(*pool));
}

struct gst_page *gst_pool_take(struct gst_pool *pool, enum gst_page_size size, uint32_t flags,
			       uint32_t thread, uint32_t segment)
{
	struct gst_page *page = pop_free(pool, size);

	if (!page) {
		page = pop_free(pool, size == GST_PAGE_SMALL ? GST_PAGE_LARGE : GST_PAGE_SMALL);
	}
	if (page) {
		open_page(pool, page, flags, thread, segment);
	}
	/* The writer comes by itself every 100 ms; scarce pages cannot wait so long. */
	if (!page || atomic_load_explicit(&pool->free_count[GST_PAGE_LARGE], memory_order_relaxed) <
			     pool->total[GST_PAGE_LARGE] / 2) {
		gst_pool_wake(pool);
	}
	return page;
}

void gst_pool_recycle(struct gst_pool *pool, struct gst_page *page)
{
	/* The body first: until the magic is gone, a reader sees an open chunk with nothing new. */
	memset(page->body, 0, page->room);
	atomic_thread_fence(memory_order_seq_cst);
	__atomic_store_n(&page->header->magic, 0, __ATOMIC_RELEASE);
	atomic_thread_fence(memory_order_seq_cst);
	memset(page->header, 0, sizeof(*page->header));
	atomic_store_explicit(&page->state, GST_PAGE_FREE, memory_order_relaxed);
	push_free(pool, gst_page_index(pool, page));
}

void gst_pool_wake(struct gst_pool *pool)
{
	int saved_errno = errno;

	if (atomic_load(&pool->wake) == 0 && atomic_exchange(&pool->wake, 1) == 0) {
		syscall(SYS_futex, &pool->wake, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	}
	errno = saved_errno;
}

void gst_pool_wait(struct gst_pool *pool, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000u),
		.tv_nsec = (long)(timeout_ns % 1000000000u),
	};

	if (atomic_load(&pool->wake) == 0) {
		syscall(SYS_futex, &pool->wake, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
	}
	atomic_store(&pool->wake, 0);
}
