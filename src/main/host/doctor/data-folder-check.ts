import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Examination } from '#shared/contract/views/app.ts'

/** Types of network file systems, as Linux' `statfs` numbers them. Their locks may not hold, and SQLite needs locks. */
const networkTypes: Readonly<Record<number, string>> = {
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  20859: 'SMB',
  16914839: '9p',
  1397113167: 'AFS',
  12805120: 'Ceph',
}

/** The name of a network file system; undefined for a local or unknown one. */
export function networkNameOf(type: number): string | undefined {
  return networkTypes[type >>> 0]
}

/** Whether the data folder can be written, belongs to this person, and lies on a disk whose locks hold. */
export async function examineDataFolder(folder: string): Promise<Examination> {
  const name = 'Data folder'
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `.doctor-${process.pid}`)
    await writeFile(file, '')
    await rm(file)
    const share = process.platform === 'linux' ? networkNameOf((await statfs(folder)).type) : undefined
    if (share === undefined) return { name, state: 'ok', detail: folder }
    return {
      name,
      state: 'optional',
      detail: `${folder} is on a network share (${share}), where locks of databases may not hold. Use it from one machine at a time, or choose a local folder with --data-dir.`,
    }
  } catch (error) {
    return { name, state: 'broken', detail: await explain(folder, error as NodeJS.ErrnoException) }
  }
}

async function explain(folder: string, { code, message }: NodeJS.ErrnoException): Promise<string> {
  const another = 'Choose another with --data-dir.'
  if (code === 'EROFS') return `${folder} is on a file system that is mounted read-only. ${another}`
  const owner = (await stat(folder).catch(() => undefined))?.uid
  const own = process.getuid?.()
  if (owner !== undefined && own !== undefined && owner !== own)
    return `${folder} belongs to user ${owner}, and you are user ${own}. Give it back with "sudo chown -R ${own} '${folder}'", or choose another with --data-dir.`
  return `${message}. ${another}`
}
