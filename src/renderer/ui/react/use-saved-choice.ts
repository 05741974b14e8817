import { useState } from 'react'

/** A choice that outlives the window; the first one stands until somebody chooses. */
export function useSavedChoice<Choice extends string>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: Choice) => void] {
  const [chosen, setChosen] = useState<Choice>(() => {
    const stored = localStorage.getItem(key)
    return choices.find((choice) => choice === stored) ?? choices[0]
  })
  function choose(choice: Choice): void {
    localStorage.setItem(key, choice)
    setChosen(choice)
  }
  return [chosen, choose]
}
