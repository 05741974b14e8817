import { systemClock } from '../clock/system-clock.ts'
import { openSharedTexts } from './shared-texts.ts'

/** Adds one to a number in the shared texts, as often as asked. Repeats what another process overtook. */
const [file = '', times = ''] = process.argv.slice(2)
const texts = openSharedTexts(file, systemClock)
process.stdout.write('open\n')
process.stdin.once('data', () => {
  for (let done = 0; done < Number(times); ) {
    const from = texts.list().find(({ name }) => name === '/counter')?.version ?? null
    const bytes = texts.read('/counter')
    try {
      const next = Number(bytes ? new TextDecoder().decode(bytes) : '0') + 1
      texts.commit([{ name: '/counter', bytes: new TextEncoder().encode(String(next)), from }])
      done += 1
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'moved_on')) throw error
    }
  }
  process.exit(0)
})
