import { EventEmitter } from 'node:events'
import type { ReadStream } from 'node:tty'
import { expect, it, vi } from 'vitest'
import { createKeyboard } from './keyboard.ts'
import { terminal } from './terminal.ts'

function openKeyboard() {
  const input = Object.assign(new EventEmitter(), { setRawMode: vi.fn(), resume: vi.fn(), pause: vi.fn() })
  const hooks = { onSuspend: () => undefined, onContinue: () => undefined }
  const { errors, stop, hangUp, suspend } = terminal()
  const keyboard = createKeyboard({ input: input as unknown as ReadStream, errors, stop, hangUp, suspend }, hooks)
  return { keyboard, input, type: (text: string) => input.emit('data', Buffer.from(text)) }
}
const { signal } = new AbortController()

// Mutation: with a queue of keys, the `y` from before the question approves it.
it('drops what was typed before somebody reads', async () => {
  const { keyboard, type } = openKeyboard()
  type('y')
  const key = keyboard.press(signal)
  type('n')
  expect(await key).toBe('n')
})

it('gives keys that arrive together as one, so that a paste is no answer', async () => {
  const { keyboard, type } = openKeyboard()
  const key = keyboard.press(signal)
  type('yes')
  expect(await key).toBe('yes')
})

it('stops at Ctrl+C also among other keys, and takes none of them as an answer', async () => {
  const { keyboard, type } = openKeyboard()
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const stopping = new AbortController()
  const key = keyboard.press(stopping.signal)
  type('y\u0003')
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT')
  kill.mockRestore()
  stopping.abort()
  await expect(key).rejects.toThrow('aborted')
})

it('takes a terminal that goes away for one hang-up, so that nobody waits for its keys', () => {
  const { keyboard, input } = openKeyboard()
  const onHangUp = vi.fn()
  process.on('SIGHUP', onHangUp)
  input.emit('error', new Error('EIO'))
  input.emit('end')
  process.off('SIGHUP', onHangUp)
  expect(onHangUp).toHaveBeenCalledOnce()
  keyboard[Symbol.dispose]()
})

it('stops waiting when the run stops, and gives the terminal back', async () => {
  const { keyboard, input } = openKeyboard()
  const stopping = new AbortController()
  const key = keyboard.press(stopping.signal)
  stopping.abort()
  await expect(key).rejects.toThrow('aborted')
  keyboard[Symbol.dispose]()
  expect(input.setRawMode).toHaveBeenLastCalledWith(false)
  expect(input.listenerCount('data')).toBe(0)
})
