import type { ReactElement } from 'react'
import { expect, it } from 'vitest'
import { render } from 'vitest-browser-react'
import { seriousInSight } from './axe.testkit.ts'

const inColour = (color: string): ReactElement => <p style={{ color, background: '#fff' }}>Text</p>

it.each([
  ['a button without a name', <button key="bad" type="button" />, /^button-name/],
  ['faint text', inColour('#bbb'), /#bbbbbb/],
  ['text that only the dark theme makes faint', inColour('light-dark(#000, #bbb)'), /#bbbbbb/],
])('finds %s', async (_, element, finding) => {
  const { unmount } = await render(element)
  const found = await seriousInSight()
  await unmount()
  expect(found).toContainEqual(expect.stringMatching(finding))
})

it('finds nothing in what everybody can use', async () => {
  await render(<button type="button">A name</button>)
  expect(await seriousInSight()).toEqual([])
})
