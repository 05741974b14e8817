import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createReviewLayout, headingHeight } from './review-layout.ts'
import { createRowHeights } from './row-heights.ts'

const path = (name: string): VirtualPath => `/${name}` as VirtualPath

describe('heights of rows', () => {
  it('finds the row at every place, also after corrections', () => {
    const heights = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(heights, fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 90 }))), (first, corrections) => {
        const rows = createRowHeights(first.length, (index) => first[index] ?? 0)
        const now = [...first]
        for (const [index, height] of corrections) {
          rows.indexAt(index * 7)
          rows.set(index, height)
          if (index < now.length) now[index] = height
        }
        let top = 0
        for (const [index, height] of now.entries()) {
          expect(rows.topOf(index)).toBe(top)
          expect(rows.indexAt(top)).toBe(index)
          expect(rows.indexAt(top + height - 1)).toBe(index)
          top += height
        }
        expect(rows.total()).toBe(top)
      }),
    )
  })
})

describe('the layout of a review', () => {
  const three = [path('a'), path('b'), path('c')]

  it('keeps the row in sight where it is when a file above becomes longer', () => {
    const layout = createReviewLayout()
    layout.setFiles(three, () => 100)
    layout.change(path('b'), { rows: createRowHeights(50, () => 20) })
    const place = layout.topOf(path('b')) + headingHeight + 10 * 20 + 7
    const anchor = layout.anchorAt(place)
    expect(anchor).toEqual({ path: path('b'), row: 10, offset: 7 })
    layout.change(path('a'), { box: 900 })
    layout.setRow(path('b'), 3, 60)
    expect(anchor && layout.placeOf(anchor)).toBe(place + 800 + 40)
  })

  it('keeps what is known about files that stay, and forgets those that left', () => {
    const layout = createReviewLayout()
    layout.setFiles(three, () => 100)
    layout.change(path('c'), { box: 500 })
    layout.setFiles([path('c'), path('d')], () => 100)
    expect(layout.heightOf(path('c'))).toBe(headingHeight + 500)
    expect(layout.placeOf({ path: path('a'), row: null, offset: 0 })).toBeNull()
    expect(layout.total()).toBe(2 * headingHeight + 600)
  })

  it('gives a folded file only the room of its heading', () => {
    const layout = createReviewLayout()
    layout.setFiles(three, () => 100)
    layout.change(path('a'), { rows: createRowHeights(5, () => 20) })
    layout.setFolded(new Set([path('a')]))
    expect(layout.topOf(path('b'))).toBe(headingHeight)
    expect(layout.rowsOf(path('a'))).toBeNull()
    expect(layout.between(0, headingHeight)).toEqual([0, 1])
    layout.setFolded(new Set([path('c')]))
    expect(layout.topOf(path('b'))).toBe(headingHeight + 5 * 20)
    expect(layout.heightOf(path('c'))).toBe(headingHeight)
  })
})
