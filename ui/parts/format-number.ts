const whole = new Intl.NumberFormat("en")
const rounded = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })

/** `12,480`; `4.9`. */
export function formatNumber(number: number): string {
  return (Number.isInteger(number) ? whole : rounded).format(number)
}

/** `1 item`, `2,000 items`. */
export function quantity(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}
