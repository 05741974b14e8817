import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { displaysKey, fitToDisplays, loadWindowPlace, saveWindowPlace, type WindowPlace } from './window-state.ts'

const never = (problem: string): never => {
  throw new Error(problem)
}
const newFile = () => join(mkdtempSync(join(tmpdir(), 'coppice-window-')), 'window.json')
const place = (width: number): WindowPlace => ({
  bounds: { x: 5, y: 6, width, height: 500 },
  maximized: false,
  fullScreen: false,
})
const area = { x: 0, y: 0, width: 1000, height: 800 }

describe('the place of a window', () => {
  it('is remembered for each arrangement of displays', () => {
    const file = newFile()
    const laptop = displaysKey([{ bounds: area, scaleFactor: 2 }])
    const desk = displaysKey([
      { bounds: area, scaleFactor: 2 },
      { bounds: { ...area, x: 1000 }, scaleFactor: 1 },
    ])
    saveWindowPlace(file, laptop, place(600))
    saveWindowPlace(file, desk, place(1800))
    expect([loadWindowPlace(file, laptop, never), loadWindowPlace(file, desk, never)]).toEqual([
      place(600),
      place(1800),
    ])
    expect(loadWindowPlace(file, 'a projector', never).bounds.width).toBe(1440)
  })

  it('is forgotten for arrangements that nobody has used for long', () => {
    const file = newFile()
    for (let at = 0; at < 30; at += 1) saveWindowPlace(file, `displays ${at}`, place(600 + at))
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).places)).toHaveLength(12)
    expect(loadWindowPlace(file, 'displays 29', never)).toEqual(place(629))
  })

  it('of an earlier version holds for any displays', () => {
    const file = newFile()
    writeFileSync(
      file,
      JSON.stringify({ version: 1, bounds: { x: 1, y: 2, width: 640, height: 480 }, maximized: true }),
    )
    expect(loadWindowPlace(file, 'any', never)).toMatchObject({ bounds: { width: 640 }, maximized: true })
  })

  it.each(['{"bounds": 7}', '{', JSON.stringify({ version: 3, places: {} })])(
    'is the usual one when the saved state is %s, which is reported and set aside',
    (saved) => {
      const file = newFile()
      writeFileSync(file, saved)
      const told: string[] = []
      expect(loadWindowPlace(file, '', (problem) => told.push(problem)).bounds.width).toBe(1440)
      expect(told).toEqual([expect.stringContaining(`${file}.damaged`)])
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(saved)
    },
  )

  it('is the usual one also when a damaged state cannot be set aside', () => {
    const file = newFile()
    writeFileSync(file, '{')
    mkdirSync(join(`${file}.damaged`, 'in the way'), { recursive: true })
    const told: string[] = []
    expect(loadWindowPlace(file, '', (problem) => told.push(problem)).bounds.width).toBe(1440)
    expect(told).toEqual([expect.stringContaining(`It stays at ${file}.`)])
  })

  it('is never where no display is, and never larger than its display', () => {
    const gone = fitToDisplays({ ...place(700), bounds: { x: 90_000, y: 6, width: 700, height: 500 } }, [area])
    expect(gone.bounds).toEqual({ width: 700, height: 500 })
    const large = fitToDisplays({ ...place(700), bounds: { x: -5, y: -5, width: 5000, height: 5000 } }, [area])
    expect(large).toMatchObject({ bounds: { x: -5, y: -5, width: 1000, height: 800 }, minWidth: 400, minHeight: 480 })
  })
})
