/** Shared by the screens of stock. */
import { locale } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

/** Stock of a product in a warehouse, as the list returns it. */
export interface Level {
  id: number
  product: { id: number; sku: string; name: string }
  warehouse: { id: number; name: string }
  on_hand: number
  reorder_level: number
  is_low: boolean
  updated_at: string
}

/** Quantities have up to six decimals. */
const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 })
export const quantityText = (value: number) => quantity.format(value)
const signed = new Intl.NumberFormat(locale, { maximumFractionDigits: 6, signDisplay: 'exceptZero' })
export const changeText = (value: number) => signed.format(value)
/** Removes rounding errors of binary fractions. */
export const exact = (value: number) => Math.round(value * 1e6) / 1e6

export const Low = () => <span class="tag warn">{t('isLow')}</span>
