/*
 * An overlay refuses to rename a folder that lies below its topmost layer (EXDEV), and few programs then copy. So the
 * kernel asks this process about each such call of the program (seccomp_unotify(2)). It has the rights of the program and
 * no others. Where the overlay refuses, it moves the entries one by one into a folder beside the goal, which then gets
 * its name.
 */
#include <asm/ioctl.h>
#include <linux/filter.h>
#include <linux/poll.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

/* Absent from the headers without a library. */
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static int rename_it(const char *from, const char *to) {
	return (int)CALL5(renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int is_kind(const char *path, unsigned kind) {
	struct statx facts;
	return !CALL5(statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &facts) && (facts.stx_mode & S_IFMT) == kind;
}

static int exists(const char *path) {
	struct statx facts;
	return !CALL5(statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &facts);
}

struct entry {
	u64 number, position;
	unsigned short length;
	unsigned char kind;
	char name[];
};

static long carry(char *from, char *to);

/* Carries what is in one folder into another. Both paths have room for PATH_SIZE and are as before at the end. */
static long carry_entries(char *from, char *to) {
	char *from_end = from + length(from), *to_end = to + length(to);
	long error = 0, count, carried;
	do {
		char entries[2048] __attribute__((aligned(8)));
		const int folder = open_at(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		if (folder < 0) return folder;
		carried = 0;
		while (!error && !carried && (count = CALL3(getdents64, folder, entries, sizeof entries)) > 0) {
			for (long at = 0; at < count && !error; at += ((struct entry *)(entries + at))->length) {
				const char *name = ((struct entry *)(entries + at))->name;
				if (is(name, ".") || is(name, "..")) continue;
				const int fits = add(add(from_end, from + PATH_SIZE - 1, "/"), from + PATH_SIZE - 1, name) &&
				                 add(add(to_end, to + PATH_SIZE - 1, "/"), to + PATH_SIZE - 1, name);
				error = fits ? carry(from, to) : -ENAMETOOLONG;
				*from_end = *to_end = NUL;
				carried++;
			}
		}
		close_it(folder);
		/* A folder is read anew after its entries have gone, because how reading goes on then is not defined. */
	} while (!error && carried);
	return error;
}

/* Moves a file or a folder, entry by entry where that is refused. */
static long carry(char *from, char *to) {
	long error = rename_it(from, to);
	if (!error) return 0;
	const int joins = (error == -EEXIST || error == -ENOTEMPTY) && is_kind(to, S_IFDIR);
	if (!is_kind(from, S_IFDIR) || (error != -EXDEV && !joins)) return error;
	struct statx facts;
	error = CALL5(statx, AT_FDCWD, from, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &facts);
	if (error) return error;
	error = CALL3(mkdirat, AT_FDCWD, to, 0700);
	if (error && !is_kind(to, S_IFDIR)) return error;
	error = carry_entries(from, to);
	if (error) return error;
	const struct { long long seconds, nanoseconds; } times[2] = {
		{facts.stx_atime.tv_sec, facts.stx_atime.tv_nsec}, {facts.stx_mtime.tv_sec, facts.stx_mtime.tv_nsec}};
	CALL3(fchmodat, AT_FDCWD, to, facts.stx_mode & 07777);
	CALL4(utimensat, AT_FDCWD, to, times, 0);
	return CALL3(unlinkat, AT_FDCWD, from, AT_REMOVEDIR);
}

/* The folder that a path is in, with its last slash. */
static void above(char *folder, const char *path) {
	size last = length(path);
	while (last && path[last - 1] != '/') last--;
	memcpy(folder, path, last);
	add(folder + last, folder + PATH_SIZE - 1, last ? "" : "./");
}

static int on_one_disk(const char *one, const char *other) {
	struct statx a, b;
	return !CALL5(statx, AT_FDCWD, one, 0, STATX_TYPE, &a) && !CALL5(statx, AT_FDCWD, other, 0, STATX_TYPE, &b) &&
	       a.stx_dev_major == b.stx_dev_major && a.stx_dev_minor == b.stx_dev_minor;
}

static int is_inside(const char *folder, const char *path) {
	while (*folder && *folder == *path) folder++, path++;
	return !*folder && (!*path || *path == '/');
}

static void cut_slashes(char *path) {
	for (size end = length(path); end > 1 && path[end - 1] == '/'; end--) path[end - 1] = NUL;
}

static long move(char *from, char *to) {
	static size moved = 0;
	char from_folder[PATH_SIZE], beside[PATH_SIZE];
	cut_slashes(from), cut_slashes(to);
	above(from_folder, from), above(beside, to);
	if (!on_one_disk(from_folder, beside)) return -EXDEV;
	if (is_inside(from, to)) return -EINVAL;
	if (exists(to)) {
		const long failed = is_kind(to, S_IFDIR) ? CALL3(unlinkat, AT_FDCWD, to, AT_REMOVEDIR) : -ENOTDIR;
		if (failed) return failed;
	}
	char *limit = beside + sizeof beside - 1;
	char *at = add(beside + length(beside), limit, ".coppice-rename-");
	at = add_number(add(add_number(at, limit, (size)CALL1(getpid, 0)), limit, "-"), limit, moved++);
	if (!at) return -ENAMETOOLONG;
	long failed = carry(from, beside);
	if (!failed) failed = rename_it(beside, to);
	if (failed) carry(beside, from);
	return failed;
}

/* Reads a text of another process. False when that cannot be read, or has no end within PATH_SIZE. */
static int read_text(int pid, u64 from, char *text) {
	in_proc(text, PATH_SIZE, pid, "mem");
	const int memory = open_at(text, O_RDONLY);
	size count = 0;
	int found = 0;
	while (memory >= 0 && !found && count < PATH_SIZE) {
		/* Not beyond the page, because the next one may not be there. */
		size room = 4096 - (from + count) % 4096;
		if (room > PATH_SIZE - count) room = PATH_SIZE - count;
		const long read = CALL4(pread64, memory, text + count, room, from + count);
		if (read <= 0) break;
		for (const size next = count + (size)read; count < next && !found; count++) found = !text[count];
	}
	if (memory >= 0) close_it(memory);
	return found;
}

static int read_link(const char *path, char *text) {
	const long count = CALL4(readlinkat, AT_FDCWD, path, text, PATH_SIZE - 1);
	if (count >= 0) text[count] = NUL;
	return count >= 0;
}

/* The whole path that another process means. False for none. */
static int read_place(int pid, int folder, u64 pointer, char *path) {
	char name[64], text[PATH_SIZE];
	in_proc(name, sizeof name, pid, "root");
	if (!read_link(name, path) || !is(path, "/") || !read_text(pid, pointer, text) || !*text) return 0;
	const char *limit = path + PATH_SIZE - 1;
	if (*text == '/') return add(path, limit, text) != 0;
	char *at = in_proc(name, sizeof name, pid, folder == AT_FDCWD ? "cwd" : "fd/");
	if (folder != AT_FDCWD) add_number(at, name + sizeof name - 1, (size)folder);
	return read_link(name, path) && add(add(path + length(path), limit, "/"), limit, text);
}

enum { LEAVE_TO_KERNEL = 1 };

/* The error of a rename, 0 when it is done. */
static long answer(const struct seccomp_notif *asked) {
	const __u64 *given = asked->data.args;
	char from[PATH_SIZE], to[PATH_SIZE];
	const int pid = (int)asked->pid;
	int with_folders = 1;
#ifdef __NR_rename
	with_folders = asked->data.nr != __NR_rename;
#endif
	const u64 flags = asked->data.nr == __NR_renameat2 ? given[4] : 0;
	if (flags > RENAME_NOREPLACE) return LEAVE_TO_KERNEL;
	const int read = with_folders
		? read_place(pid, (int)given[0], given[1], from) && read_place(pid, (int)given[2], given[3], to)
		: read_place(pid, AT_FDCWD, given[0], from) && read_place(pid, AT_FDCWD, given[1], to);
	if (!read || !is_kind(from, S_IFDIR) || (flags && exists(to))) return LEAVE_TO_KERNEL;
	const long failed = rename_it(from, to);
	return failed == -EXDEV ? move(from, to) : failed;
}

/* The child shares the open files of this process until it becomes another program, so this one gets its listener. */
static long listen_for_renames(void) {
	const struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, __builtin_offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, __builtin_offsetof(struct seccomp_data, nr)),
#ifdef __NR_rename
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_rename, 3, 0),
#else
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_renameat, 3, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_renameat, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_renameat2, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	const struct sock_fprog program = {sizeof rules / sizeof *rules, (struct sock_filter *)rules};
	CALL5(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return CALL3(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static const size receive = SECCOMP_IOCTL_NOTIF_RECV, send = SECCOMP_IOCTL_NOTIF_SEND;

/* Answers until the child ends, and ends as it did. */
static _Noreturn void answer_until_end(int child, int listener, int child_end) {
	struct pollfd heard[2] = {{child_end, POLLIN, 0}, {listener, POLLIN, 0}};
	for (;;) {
		if (CALL5(ppoll, heard, listener < 0 ? 1 : 2, 0, 0, 0) < 0) continue;
		if (heard[0].revents) end_as(child, 1);
		struct seccomp_notif asked;
		memset(&asked, 0, sizeof asked);
		if (CALL3(ioctl, listener, receive, &asked) < 0) continue;
		const long error = answer(&asked);
		struct seccomp_notif_resp reply = {asked.id, 0, 0, 0};
		if (error == LEAVE_TO_KERNEL) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		else reply.error = (int)error;
		CALL3(ioctl, listener, send, &reply);
	}
}

/* Goes on in a child. Where the kernel cannot ask, nothing is answered. */
static long answer_renames(void) {
	int told[2], listener = -1;
	/* An end that can be waited for together with questions came later than these. */
	const int works = (int)CALL2(pidfd_open, CALL1(getpid, 0), 0);
	if (works < 0 || CALL2(pipe2, told, O_CLOEXEC) < 0) return 0;
	close_it(works);
	const int child = make_child(CLONE_FILES);
	if (child < 0) return child;
	if (child == 0) {
		listener = (int)listen_for_renames();
		CALL3(write, told[1], &listener, sizeof listener);
		return 0;
	}
	CALL3(read, told[0], &listener, sizeof listener);
	const int child_end = (int)CALL2(pidfd_open, child, 0);
	if (child_end < 0) end_as(child, 1);
	answer_until_end(child, listener, child_end);
}
