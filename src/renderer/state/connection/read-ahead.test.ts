import { expect, it } from 'vitest'
import { readAhead } from './read-ahead.ts'

/** A stream that a test fills. */
function openStream() {
  const waiting: ((result: IteratorResult<string>) => void)[] = []
  const sent: IteratorResult<string>[] = []
  const send = (result: IteratorResult<string>): void => {
    const take = waiting.shift()
    if (take) take(result)
    else sent.push(result)
  }
  let returned = 0
  const items: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const ready = sent.shift()
        return ready ? Promise.resolve(ready) : new Promise((resolve) => waiting.push(resolve))
      },
      return: async () => {
        returned += 1
        return { done: true, value: undefined }
      },
    }),
  }
  return {
    items,
    say: (value: string) => send({ done: false, value }),
    end: () => send({ done: true, value: undefined }),
    returned: () => returned,
  }
}

const never = new Promise<void>(() => undefined)

async function allOf(stream: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const value of stream) all.push(value)
  return all
}

it('gives the items up to the last one together, however they come, and then the rest', async () => {
  const { items, say, end } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items))
  say('a')
  const together = first((item) => item === 'c', never)
  await new Promise((resolve) => setImmediate(resolve))
  for (const value of ['b', 'c', 'd']) say(value)
  expect(await together).toEqual(['a', 'b', 'c'])
  say('e')
  end()
  expect(await allOf(rest())).toEqual(['d', 'e'])
})

it('gives what has come when it is late, and loses nothing of what comes then', async () => {
  const { items, say, end } = openStream()
  const { promise: late, resolve: passTime } = Promise.withResolvers<void>()
  const { first, rest } = readAhead(Promise.resolve(items))
  say('a')
  const together = first((item) => item === 'c', late)
  await new Promise((resolve) => setImmediate(resolve))
  passTime()
  expect(await together).toEqual(['a'])
  for (const value of ['b', 'c']) say(value)
  end()
  expect(await allOf(rest())).toEqual(['b', 'c'])
})

it('gives all of it to whoever only follows it', async () => {
  const { items, say, end } = openStream()
  const { rest } = readAhead(Promise.resolve(items))
  for (const value of ['a', 'b']) say(value)
  end()
  expect(await allOf(rest())).toEqual(['a', 'b'])
})

it('ends with a stream that ends before its last item', async () => {
  const { items, say, end } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items))
  say('only')
  end()
  expect(await first(() => false, never)).toEqual(['only'])
  expect(await allOf(rest())).toEqual([])
})

it('tells whoever takes it that the stream could not be opened', async () => {
  const { first, rest } = readAhead<string>(Promise.reject(new Error('refused')))
  await expect(first(() => true, never)).rejects.toThrow('refused')
  await expect(allOf(rest())).rejects.toThrow('refused')
})

it('leaves the stream when nobody wants the rest', async () => {
  const { items, say, returned } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items))
  for (const value of ['a', 'b']) say(value)
  await first(() => true, never)
  for await (const value of rest()) if (value === 'b') break
  expect(returned()).toBe(1)
})
