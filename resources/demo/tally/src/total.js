/** The sum of all expenses. */
export function total(expenses) {
  let sum = 0
  for (const expense of expenses) {
    sum += expense.amount
  }
  return sum
}
