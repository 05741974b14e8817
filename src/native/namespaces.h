/* Namespaces of mounts, processes and users, and who a program is in them. */
#include <linux/capability.h>
#include <linux/mount.h>

static long own_mounts(void) {
	const long failed = CALL1(unshare, CLONE_NEWNS);
	return failed ? failed : CALL5(mount, "none", "/", 0, MS_REC | MS_PRIVATE, 0);
}

static long own_processes(void) {
	long failed = CALL1(unshare, CLONE_NEWPID);
	if (!failed) failed = go_on_in_child(1);
	if (!failed) failed = end_with_parent();
	stays_first = 1;
	return failed ? failed : CALL5(mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
}

static int has_more_lines(const char *map) {
	while (*map && *map != '\n') map++;
	return *map != NUL;
}

/* Whoever is not root may only map itself, and only where groups cannot be left. */
static long map_users(int pid, const char *users, const char *groups) {
	char path[64];
	if (!has_more_lines(groups)) write_text((in_proc(path, sizeof path, pid, "setgroups"), path), "deny");
	const long failed = write_text((in_proc(path, sizeof path, pid, "gid_map"), path), groups);
	return failed ? failed : write_text((in_proc(path, sizeof path, pid, "uid_map"), path), users);
}

/* Opens a new namespace of users. It is made in a child, because only another process may write any map. */
static int open_users(const char *users, const char *groups) {
	int made[2], done[2];
	char byte = 0, path[64];
	if (CALL2(pipe2, made, O_CLOEXEC) < 0 || CALL2(pipe2, done, O_CLOEXEC) < 0) return -EMFILE;
	const int child = make_child(0);
	if (child < 0) return child;
	if (child == 0) {
		close_it(done[1]);
		const long failed = CALL1(unshare, CLONE_NEWUSER);
		byte = (char)-failed;
		CALL3(write, made[1], &byte, 1);
		CALL3(read, done[0], &byte, 1);
		end(0);
	}
	close_it(made[1]);
	long failed = CALL3(read, made[0], &byte, 1) == 1 ? -byte : -EAGAIN;
	if (!failed) failed = map_users(child, users, groups);
	in_proc(path, sizeof path, child, "ns/user");
	const int opened = failed ? (int)failed : open_at(path, O_RDONLY);
	close_it(made[0]), close_it(done[0]), close_it(done[1]);
	CALL4(wait4, child, 0, 0, 0);
	return opened;
}

static long own_users(const char *users, const char *groups) {
	const int opened = open_users(users, groups);
	if (opened < 0) return opened;
	const long failed = CALL2(setns, opened, CLONE_NEWUSER);
	close_it(opened);
	return failed;
}

static long become(const char *text) {
	size number;
	if (!number_in(text, &number)) return -EINVAL;
	long failed = CALL5(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (long right = 0; !failed && CALL5(prctl, PR_CAPBSET_READ, right, 0, 0, 0) >= 0; right++)
		failed = CALL5(prctl, PR_CAPBSET_DROP, right, 0, 0, 0);
	if (!failed) failed = CALL5(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (!failed) failed = CALL2(setgroups, 0, 0);
	if (!failed) failed = CALL3(setresgid, number, number, number);
	if (!failed) failed = CALL3(setresuid, number, number, number);
	const struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	const struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
	return failed ? failed : CALL2(capset, &header, none);
}
