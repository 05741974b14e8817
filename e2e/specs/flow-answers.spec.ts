import type { Scenario } from '../model-server/scenario.ts'
import { violationsAtNight } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

const findings = [
  { path: '/src/account.js', line: 3, severity: 'high' },
  { path: '/src/format.js', line: 1, severity: 'low' },
]
const schema = {
  title: 'Findings',
  type: 'array',
  items: {
    type: 'object',
    properties: { path: { type: 'string' }, line: { type: 'integer' }, severity: { enum: ['low', 'high'] } },
    required: ['path', 'line', 'severity'],
  },
}

test('17: A person asks for an answer in a shape, and reads it as a table or a tree', async ({ open, model }) => {
  const scenario: Scenario = (_, { count }) => ({
    text: count === 0 ? 'I found two.' : `\`\`\`json\n${JSON.stringify(findings)}\n\`\`\``,
  })
  const { page, restart } = await open({ scenario })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('textbox', { name: 'Message' }).fill('Review the code')
  await page.getByRole('button', { name: 'Add to the message' }).click()
  await page.getByRole('menuitem', { name: 'Answer as…' }).click()
  const field = page.getByRole('textbox', { name: 'JSON Schema' })
  const use = page.getByRole('button', { name: 'Use this schema' })

  // Errors are named at once, with their place, or with what the schema asks for.
  await field.fill('{\n  "type": "array",\n}')
  await expect(page.getByText('Expected a name in double quotes (line 3, column 1).')).toBeVisible()
  await expect(use).toBeDisabled()
  await field.fill('{"type": "nope"}')
  await expect(page.getByText('The output schema cannot be used')).toBeVisible()
  await field.fill(JSON.stringify(schema))
  await expect(page.getByText('This schema can be used.')).toBeVisible()
  expect((await violationsAtNight(page)).map(({ id }) => id)).toEqual([])
  await use.click()
  await expect(page.getByRole('button', { name: 'Change the answer’s schema: Findings' })).toBeVisible()
  await page.getByRole('button', { name: 'Send' }).click()

  // The first answer is in words. It is repaired once, and the person sees only their own message as theirs.
  const answer = page.getByRole('region', { name: 'Structured answer' })
  await expect(answer.getByRole('row', { name: '/src/account.js 3 high' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
  await expect(page.getByRole('article', { name: 'You' })).not.toContainText('reply with JSON alone')
  expect(model.requests).toHaveLength(2)
  await answer.getByRole('button', { name: 'Copy JSON' }).click()
  await expect(answer.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(findings)
  await answer.getByRole('button', { name: 'Tree' }).click()
  await expect(answer.getByText('/src/format.js')).toBeVisible()
  expect((await violationsAtNight(page)).map(({ id }) => id)).toEqual([])

  // The thread keeps its schema. An answer that still does not fit is shown with the reason.
  const again = await restart()
  await expect(again.getByRole('region', { name: 'Structured answer' })).toBeVisible()
  model.use(() => ({ text: '[{"path": "/a"}]' }))
  await again.getByRole('textbox', { name: 'Message' }).fill('Once more')
  await again.getByRole('button', { name: 'Send' }).click()
  await expect(again.getByText('The answer does not fit its schema')).toBeVisible()
  await again.getByRole('button', { name: 'Answer in words again' }).click()
  model.use(() => ({ text: 'Just words.' }))
  await again.getByRole('textbox', { name: 'Message' }).fill('Explain it')
  await again.getByRole('button', { name: 'Send' }).click()
  await expect(again.getByText('Just words.')).toBeVisible()
  expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).not.toContain('JSON Schema')
})
