import { expect, it } from 'vitest'
import { readAhead } from './read-ahead.ts'

/** A stream that a test fills, and a clock that only the test moves. */
function openStream() {
  const waiting: ((result: IteratorResult<string>) => void)[] = []
  const sent: IteratorResult<string>[] = []
  const send = (result: IteratorResult<string>): void => {
    const take = waiting.shift()
    if (take) take(result)
    else sent.push(result)
  }
  const sleepers: (() => void)[] = []
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
    sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)),
    passTime: () => sleepers.splice(0).forEach((wake) => void wake()),
    returned: () => returned,
  }
}

/** Lets everything that waits for nothing go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

async function allOf(stream: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const value of stream) all.push(value)
  return all
}

it('gives together what came together, and then the rest in order', async () => {
  const { items, say, end, sleep, passTime } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items), sleep)
  for (const value of ['a', 'b', 'c']) say(value)
  await turn()
  passTime()
  expect(await first).toEqual(['a', 'b', 'c'])
  for (const value of ['d', 'e']) say(value)
  end()
  expect(await allOf(rest())).toEqual(['d', 'e'])
})

it('does not wait after the last of the items that are expected', async () => {
  const { items, say, end } = openStream()
  const { first, rest } = readAhead(
    Promise.resolve(items),
    () => new Promise(() => undefined),
    (item) => item === 'b',
  )
  for (const value of ['a', 'b', 'c']) say(value)
  end()
  expect(await first).toEqual(['a', 'b'])
  expect(await allOf(rest())).toEqual(['c'])
})

it('gives nothing for a stream in which nothing comes, and later what comes', async () => {
  const { items, say, end, sleep, passTime } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items), sleep)
  await turn()
  passTime()
  expect(await first).toEqual([])
  say('late')
  end()
  expect(await allOf(rest())).toEqual(['late'])
})

it('gives all of it in order to whoever wants it whole', async () => {
  const { items, say, end, sleep, passTime } = openStream()
  const { first, all } = readAhead(Promise.resolve(items), sleep)
  say('a')
  await turn()
  passTime()
  await first
  say('b')
  end()
  expect(await allOf(all())).toEqual(['a', 'b'])
})

it('ends with a stream that ends at once', async () => {
  const { items, say, end, sleep } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items), sleep)
  say('only')
  end()
  expect(await first).toEqual(['only'])
  expect(await allOf(rest())).toEqual([])
})

it('tells whoever takes it that the stream could not be opened', async () => {
  const { sleep } = openStream()
  const { first } = readAhead(Promise.reject(new Error('refused')), sleep)
  await expect(first).rejects.toThrow('refused')
})

it('leaves the stream when nobody wants the rest', async () => {
  const { items, say, sleep, passTime, returned } = openStream()
  const { first, rest } = readAhead(Promise.resolve(items), sleep)
  say('a')
  await turn()
  passTime()
  await first
  say('b')
  for await (const value of rest()) if (value === 'b') break
  expect(returned()).toBe(1)
})
