/**
 * The permissions of a new file, by the umask of the app, which commands have too. On Windows, where nothing else is known, those that
 * Node reports of any file.
 */
export function newFileMode(executable: boolean): number {
  if (process.platform === 'win32') return executable ? 0o777 : 0o666
  return (executable ? 0o777 : 0o666) & ~process.umask()
}
