import { describeSharedTexts } from './shared-texts.contract.ts'
import { createMemorySharedTexts } from './shared-texts.testkit.ts'

describeSharedTexts('in memory', () => {
  const texts = createMemorySharedTexts()
  return { open: () => texts }
})
