/** What the system's errors about disks mean for a person, as the end of a sentence about a place. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it may not be written with your rights',
  EPERM: 'it may not be written with your rights',
  EROFS: 'its disk is mounted read-only',
  ENOSPC: 'its disk is full; free some space',
  EDQUOT: 'your quota on its disk is used up; free some space',
  EFBIG: 'it is larger than its disk takes',
  EIO: 'its disk answered with an error; check the disk',
  ENXIO: 'its disk is gone',
  ENODEV: 'its disk is gone',
  ESTALE: 'its network share is gone',
  ETIMEDOUT: 'its network share does not answer',
  ENOTCONN: 'its network share does not answer',
  ENOLCK: 'its disk has no locks',
  EBADF: 'its disk does not confirm what it stores',
  EMFILE: 'too many files are open; close some programs',
  ENFILE: 'too many files are open; close some programs',
  ENOMEM: 'there is not enough memory',
  ENAMETOOLONG: 'its name is longer than its disk allows',
  ELOOP: 'it goes through a loop of links',
  ENOTDIR: 'a folder above it is a file now',
  ENOENT: 'a folder above it is gone',
  EEXIST: 'something else is there now',
  ENOTEMPTY: 'it is a folder that is not empty',
  EISDIR: 'it is a folder now',
  EBUSY: 'another program uses it',
  ETXTBSY: 'it is a program that runs',
  EXDEV: 'it is on another disk than the folder above it',
}

/**
 * Why a disk refused something, without the paths that the system's own message names. For an error of another kind, its
 * own message.
 */
export function diskReason(error: unknown): string {
  const code = codeIn(error)
  if (code === undefined) return error instanceof Error ? error.message : String(error)
  return `${reasons[code] ?? 'its disk refused it'} (${code})`
}

/** The code of an error of the system, such as `ENOSPC`. Undefined for any other error. */
function codeIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined
}
