/** An amount as it is printed. */
export function format(amount) {
  return String(amount)
}
