import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTreeWatch } from './tree-watch.ts'

const isLinux = process.platform === 'linux'

function open() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-watch-')))
  const events: string[] = []
  let lost = 0
  const watch = createTreeWatch({
    pulseFolder: join(folder, 'pulse'),
    onEvent: (where, name) => events.push(`${where.slice(folder.length)}/${name}`),
    onLost: () => {
      lost += 1
    },
  })
  const close = () => {
    watch[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  mkdirSync(join(folder, 'a'))
  return { folder, events, watch, lost: () => lost, [Symbol.dispose]: close }
}

// Notices an answer that does not wait for its pulse.
it.runIf(isLinux)(
  'knows every change before the question, again and again, and after a folder is watched twice',
  async () => {
    using world = open()
    const { folder, watch, events } = world
    expect(watch.add(join(folder, 'a'))).toBe(true)
    for (let count = 0; count < 100; count += 1) {
      if (count % 10 === 0) watch.add(join(folder, 'a'))
      writeFileSync(join(folder, `a/${count}`), 'x')
      expect(await watch.catchUp()).toBe(true)
      expect(events).toContain(`/a/${count}`)
    }
  },
)

// Notices a watch without a count of events: the system drops what does not fit, and Node says nothing.
it.runIf(isLinux)('says that events were lost when its queue was full', async () => {
  using world = open()
  const { folder, watch } = world
  watch.add(join(folder, 'a'))
  const room = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
  for (let count = 0; count < room; count += 1) {
    // Other names, because equal events that follow each other take one place.
    writeFileSync(join(folder, `a/${count % 2}`), 'x')
  }
  await watch.catchUp()
  expect(world.lost()).toBeGreaterThan(0)
})
