import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hunkStep, isTyping } from './keys.ts'

/** The parts of an element that `isTyping` reads. */
class FakeElement extends EventTarget {
  readonly tagName: string
  readonly isContentEditable: boolean
  readonly #type: string | null

  constructor(tagName: string, type: string | null = null, isContentEditable = false) {
    super()
    this.tagName = tagName
    this.#type = type
    this.isContentEditable = isContentEditable
  }

  getAttribute(name: string): string | null {
    return name === 'type' ? this.#type : null
  }
}

beforeAll(() => void vi.stubGlobal('HTMLElement', FakeElement))
afterAll(() => void vi.unstubAllGlobals())

describe('typing', () => {
  it.each([
    ['a text box', new FakeElement('INPUT')],
    ['a search box', new FakeElement('INPUT', 'search')],
    ['a number', new FakeElement('INPUT', 'number')],
    ['a text area', new FakeElement('TEXTAREA')],
    ['a list to choose from', new FakeElement('SELECT')],
    ['a code editor', new FakeElement('DIV', null, true)],
  ])('happens in %s', (_, element) => {
    expect(isTyping(element)).toBe(true)
  })

  it.each([
    ['a check box', new FakeElement('INPUT', 'checkbox')],
    ['a radio button', new FakeElement('INPUT', 'radio')],
    ['a button', new FakeElement('BUTTON')],
    ['a row', new FakeElement('DIV')],
    ['the window', new EventTarget()],
    ['nothing', null],
  ])('does not happen on %s', (_, target) => {
    expect(isTyping(target)).toBe(false)
  })
})

describe('steps through a review', () => {
  const press = (key: string, more: object = {}): KeyboardEvent =>
    ({
      key,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      defaultPrevented: false,
      target: null,
      ...more,
    }) as KeyboardEvent

  it('go on with j and back with k', () => {
    expect([hunkStep(press('j')), hunkStep(press('k')), hunkStep(press('x'))]).toEqual([1, -1, null])
  })

  it('ignore keys that are typed, already handled, or pressed with a modifier', () => {
    const presses = [{ target: new FakeElement('INPUT') }, { defaultPrevented: true }, { ctrlKey: true }]
    expect(presses.map((more) => hunkStep(press('j', more)))).toEqual([null, null, null])
  })
})
