import type { OpeningProject } from '#shared/contract/views/projects.ts'
import type { Client } from '../connection/connection.ts'

/** Milliseconds. A project that opens in less needs no words. */
const quietFor = 600
const askedEvery = 300

interface FollowOptions {
  readonly client: { readonly projects: Pick<Client['projects'], 'opening'> }
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Gets null once there is nothing more to say. */
  readonly show: (opening: OpeningProject | null) => void
}

/** Shows how far a project is that takes long to open, until `opened` settles. Answers what `opened` does. */
export async function followOpening<Opened>(
  opened: Promise<Opened>,
  { client, sleep, show }: FollowOptions,
): Promise<Opened> {
  let isOpen = false
  const end = (): void => {
    isOpen = true
  }
  const ended = opened.then(end, end)
  const follow = async (): Promise<void> => {
    await Promise.race([ended, sleep(quietFor)])
    while (!isOpen) {
      // Without a connection there is nothing to show, and `opened` says why.
      const [opening = null] = await client.projects.opening().catch(() => [])
      if (isOpen) break
      show(opening)
      await Promise.race([ended, sleep(askedEvery)])
    }
    show(null)
  }
  await follow()
  return opened
}
