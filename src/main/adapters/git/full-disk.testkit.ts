import { createHash } from 'node:crypto'
import { createGitDelivery } from './git-delivery.ts'

/** Delivers to the branch `to`, and prints why it could not. */
export interface FullDisk {
  readonly rootFolder: string
  readonly temporaryFolder: string
  /** New files, each of 4,000 bytes that no program makes smaller. */
  readonly files: number
  /** A commit of an agent, and the folder of its objects, in place of files. */
  readonly made?: { readonly commit: string; readonly objects: string }
}

const { made, files, ...places } = JSON.parse(process.argv[2] ?? '') as FullDisk

async function deliver(): Promise<void> {
  const delivery = createGitDelivery({ ...places, trusts: () => true })
  using opened = await delivery.open({ repository: '', branch: 'to', base: null, began: null })
  if (made) await opened.deliverMade(made.commit, [made.objects])
  else {
    const all = Array.from(
      { length: files },
      (_, at) => [`f${at}`, { mode: '100644', id: '', bytes: noise(at) }] as const,
    )
    await opened.deliver([{ message: 'm\n', files: new Map(all) }], { sign: false })
  }
}

function noise(at: number): Buffer {
  return Buffer.concat(Array.from({ length: 125 }, (_, part) => createHash('sha256').update(`${at} ${part}`).digest()))
}

deliver().then(
  () => console.log('delivered'),
  (error: Error) => console.log(`${error.name}: ${error.message}`),
)
