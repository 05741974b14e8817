import { expect, it } from 'vitest'
import { takeToken } from './transport-web.ts'

interface Browser {
  readonly location: Location
  readonly history: History
  readonly storage: Storage
  readonly shown: string[]
}

const at = (hash: string): Location => ({ hash, pathname: '/', search: '' }) as Location

function browser(hash: string): Browser {
  const kept = new Map<string, string>()
  const shown: string[] = []
  const history = { replaceState: (_: unknown, __: string, url: string) => shown.push(url) } as unknown as History
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage
  return { location: at(hash), history, storage, shown }
}

it('moves the token out of the address bar and finds it after a reload', () => {
  const { location, history, storage, shown } = browser('#token=s3cret')
  expect(takeToken(location, history, storage)).toBe('s3cret')
  expect(shown).toEqual(['/'])
  expect(takeToken(at(''), history, storage)).toBe('s3cret')
})

it('returns no token if there never was one', () => {
  const { location, history, storage } = browser('')
  expect(takeToken(location, history, storage)).toBe('')
})
