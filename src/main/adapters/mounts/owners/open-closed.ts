import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { systemProgram } from '../../system/system-programs.ts'
import { asSetup, runInside } from '../namespace.ts'

/**
 * Puts folders that hide all that lies below them in the place of these, with what is in them. Only the kernel makes such a folder:
 * the first one is made in `$1`, and the others are its copies.
 */
const hideBelowScript = `set -e; shopt -s nullglob dotglob; place=$1; shift; mkdir -p "$place"/{below/x,upper,work,shown}
(cd "$place"; mount -t overlay overlay -o lowerdir=below,upperdir=upper,workdir=work,userxattr shown)
rm -r "$place/shown/x"; mkdir "$place/shown/x"; umount "$place/shown"
for folder; do
  cp -a -- "$place/upper/x" "$place/made"; entries=("$folder"/*)
  if [ "\${#entries[@]}" -gt 0 ]; then mv -- "\${entries[@]}" "$place/made"; fi
  chmod --reference="$folder" -- "$place/made"; rmdir -- "$folder"; mv -- "$place/made" "$folder"
done
rm -r "$place"`

/** `scratch` is a path in a made folder at which nothing is. */
export async function hideBelow(folders: readonly string[], scratch: string): Promise<void> {
  if (folders.length === 0) return
  const bash = [systemProgram('bash'), '--norc', '-c', hideBelowScript, 'bash']
  await runInside(asSetup([...bash, scratch, ...folders]))
}

/** What `find` prints of everything in a folder, in this form. */
export function listAll(rootFolder: string, folder: string, form: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 1024 ** 3, signal, env: { LC_ALL: 'C' } }
    const parameters = [join(rootFolder, folder), '-xdev', '-mindepth', '1', '-printf', form]
    execFile(systemProgram('find'), parameters, options, (_error, output) =>
      signal.aborted ? reject(signal.reason) : resolve(output),
    )
  })
}
