import { useState } from 'react'
import { readChoice, writeChoice } from './saved.ts'

/** A choice that outlives the window. The first option holds until a person chooses. */
export function useSavedChoice<Choice extends string>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: Choice) => void] {
  const [chosen, setChosen] = useState<Choice>(() => readChoice(localStorage, key, choices) ?? choices[0])
  function choose(choice: Choice): void {
    writeChoice(localStorage, key, choice)
    setChosen(choice)
  }
  return [chosen, choose]
}
