import { textsOf } from '#console/client/texts/texts.ts'

export const t = textsOf({
  en: { text: 'Text', none: 'It has no plain text.' },
  de: { text: 'Text', none: 'Sie hat keinen einfachen Text.' },
})
