import { textsOf } from '#console/client/texts/texts.ts'

export const t = textsOf({
  en: {
    says: 'What documents, mails and pages say to customers. A text that is emptied is as shipped again; what stands in braces is filled in. What was issued keeps its words.',
    language: 'Language',
    kind: 'Kinds of document',
    state: 'States',
    method: 'How money came',
    reminder: 'Reminders',
    statement: 'Statements of account',
    others: 'Labels and sentences',
    find: 'Search texts',
    own: 'In your own words.',
  },
  de: {
    says: 'Was Dokumente, Mails und Seiten zu Kunden sagen. Ein Text, der geleert wird, lautet wieder wie mitgeliefert; was in Klammern steht, wird eingesetzt. Ausgestelltes behält seine Worte.',
    language: 'Sprache',
    kind: 'Arten von Dokumenten',
    state: 'Stände',
    method: 'Wie bezahlt wurde',
    reminder: 'Erinnerungen',
    statement: 'Kontoauszüge',
    others: 'Beschriftungen und Sätze',
    find: 'Texte suchen',
    own: 'In eigenen Worten.',
  },
})
