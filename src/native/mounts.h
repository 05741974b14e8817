/* What a namespace of mounts shows. */
#include <linux/mount.h>

/* Absent from the headers without a library. */
#ifndef MNT_DETACH
#define MNT_DETACH 2
#endif

static long overlay(const char *place, const char *options) {
	return CALL5(mount, "coppice-view", place, "overlay", 0, options);
}

static long bind(const char *from, const char *place, size how) { return CALL5(mount, from, place, 0, MS_BIND | how, 0); }

static long give(const char *from, const char *place, const char *how, const char *map) {
	static const char *last_map = 0;
	static int users = -1;
	if (!last_map || !is(map, last_map)) users = open_users(map, map), last_map = map;
	if (users < 0) return users;
	const int tree = (int)CALL3(open_tree, AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0) return tree;
	struct mount_attr facts = {MOUNT_ATTR_IDMAP | (is(how, "ro") ? MOUNT_ATTR_RDONLY : 0), 0, 0, (u64)users};
	long failed = CALL5(mount_setattr, tree, "", AT_EMPTY_PATH, &facts, sizeof facts);
	if (!failed) failed = CALL5(move_mount, tree, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH);
	close_it(tree);
	return failed;
}

static long seal(const char *place) {
	const long failed = bind(place, place, 0);
	return failed ? failed : bind(0, place, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC);
}

static long cover(const char *place) { return CALL5(mount, "coppice-view", place, "tmpfs", MS_RDONLY, "size=4k"); }
