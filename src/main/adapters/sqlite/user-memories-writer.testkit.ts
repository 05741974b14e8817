import { someWrite } from '#core/ports/stores/user-memories.testkit.ts'
import { openUserMemories } from './sqlite-user-memories.ts'

/** Writes versions of one memory as one of several processes, and prints the keys that were acknowledged. */
const [file = '', who = '', count = ''] = process.argv.slice(2)
const store = openUserMemories({
  file,
  now: Date.now,
  onMovedAside(path) {
    throw new Error(`moved aside: ${path}`)
  },
})
for (let number = 0; number < Number(count); number += 1) {
  const key = `${who}/${number}`
  store.record([{ ...someWrite, key, text: key, at: Date.now() }], 'now')
  process.stdout.write(`${key}\n`)
  await new Promise((resolve) => setImmediate(resolve))
}
store[Symbol.dispose]()
