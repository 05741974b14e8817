/* Calls of the kernel without a library, and where the program starts. A call returns a negative error. */
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include <linux/signal.h>

typedef unsigned long size;
typedef unsigned long long u64;

#define NUL 0
/* The longest path that the kernel takes, with its end. */
#define PATH_SIZE 4096

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
static long call(long number, long a, long b, long c, long d, long e) {
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
	                 : "rcx", "r11", "memory");
	return result;
}
__asm__(".globl _start\n_start:\n xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call begin\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
static long call(long number, long a, long b, long c, long d, long e) {
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	return x0;
}
__asm__(".globl _start\n_start:\n mov x29,#0\n mov x30,#0\n mov x0,sp\n and sp,x0,#-16\n bl begin\n");
#else
#error "The calls of the kernel are not known for this machine."
#endif

/* Compilers make calls of these two by themselves. */
void *memset(void *to, int byte, size count) {
	for (size at = 0; at < count; at++) ((volatile char *)to)[at] = (char)byte;
	return to;
}
void *memcpy(void *to, const void *from, size count) {
	for (size at = 0; at < count; at++) ((volatile char *)to)[at] = ((const char *)from)[at];
	return to;
}

#define CALL5(name, a, b, c, d, e) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))
#define CALL4(name, a, b, c, d) CALL5(name, a, b, c, d, 0)
#define CALL3(name, a, b, c) CALL4(name, a, b, c, 0)
#define CALL2(name, a, b) CALL3(name, a, b, 0)
#define CALL1(name, a) CALL2(name, a, 0)

static int open_at(const char *path, int flags) { return (int)CALL4(openat, AT_FDCWD, path, flags | O_CLOEXEC, 0); }
static void close_it(int file) { CALL1(close, file); }
static int make_child(long flags) { return (int)CALL5(clone, flags | SIGCHLD, 0, 0, 0, 0); }
static _Noreturn void end(int code) {
	for (;;) CALL1(exit_group, code);
}
