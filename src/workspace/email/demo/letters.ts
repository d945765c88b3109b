/** Demo data: mails to the demo workspaces, their answers, and mail templates. */
interface Letter {
  subject: string
  text: string
  answer: string
}

export const letters: { en: Letter[]; de: Letter[] } = {
  en: [
    {
      subject: 'Delivery on Thursday',
      text: 'Could you come before ten on Thursday? We have a party of forty for lunch.',
      answer: 'Of course. The van is with you at half past nine.',
    },
    {
      subject: 'Question about the last invoice',
      text: 'The second line says 12 boxes, we counted 10. Would you look into it?',
      answer: 'You are right, two boxes stayed behind. A credit note is on its way.',
    },
    {
      subject: 'New price list',
      text: 'When does the new price list come out? We print our menus next week.',
      answer: 'On Monday. I will send you the draft tonight.',
    },
    {
      subject: 'Samples of the season',
      text: 'We would like to try the apricots and the young potatoes.',
      answer: 'A box of each comes along with your next delivery, on the house.',
    },
    {
      subject: 'Change of address',
      text: 'From the first on, please deliver to the new kitchen in Ballard.',
      answer: 'Noted, the driver knows. Good luck with the move!',
    },
  ],
  de: [
    {
      subject: 'Lieferung am Donnerstag',
      text: 'Könnten Sie am Donnerstag vor zehn kommen? Wir haben mittags eine Gesellschaft.',
      answer: 'Gern, unser Fahrer ist um halb zehn bei Ihnen.',
    },
    {
      subject: 'Frage zur letzten Rechnung',
      text: 'In der zweiten Zeile stehen 12 Tüten, geliefert wurden 10. Schauen Sie bitte nach?',
      answer: 'Sie haben recht, zwei sind hiergeblieben. Die Gutschrift ist unterwegs.',
    },
    {
      subject: 'Maschine tropft',
      text: 'Die linke Brühgruppe tropft seit gestern. Wann hätten Sie Zeit?',
      answer: 'Morgen Nachmittag. Bitte die Gruppe bis dahin nicht benutzen.',
    },
    {
      subject: 'Schulung für zwei neue Kolleginnen',
      text: 'Gibt es im nächsten Monat noch Plätze im Barista-Kurs?',
      answer: 'Am zweiten Samstag sind noch drei frei, ich habe zwei für Sie reserviert.',
    },
    {
      subject: 'Proben der neuen Ernte',
      text: 'Wir würden gern den Kolumbien Huila verkosten.',
      answer: 'Mit der nächsten Lieferung kommt ein Päckchen mit.',
    },
  ],
}

interface Template {
  name: string
  category: string
  subject: string
  body_html: string
  variables: string[]
}

export const templates: { en: Template[]; de: Template[] } = {
  en: [
    {
      name: 'Thank you for your order',
      category: 'Sales',
      subject: 'Your order {{number}}',
      body_html: '<p>Dear {{name}}, thank you for your order.</p>',
      variables: ['number', 'name'],
    },
    {
      name: 'Payment reminder',
      category: 'Accounts',
      subject: 'Invoice {{number}}',
      body_html: '<p>Dear {{name}}, our invoice {{number}} is still open.</p>',
      variables: ['number', 'name'],
    },
  ],
  de: [
    {
      name: 'Danke für Ihre Bestellung',
      category: 'Vertrieb',
      subject: 'Ihre Bestellung {{number}}',
      body_html: '<p>Guten Tag {{name}}, vielen Dank für Ihre Bestellung.</p>',
      variables: ['number', 'name'],
    },
    {
      name: 'Zahlungserinnerung',
      category: 'Buchhaltung',
      subject: 'Rechnung {{number}}',
      body_html: '<p>Guten Tag {{name}}, unsere Rechnung {{number}} ist noch offen.</p>',
      variables: ['number', 'name'],
    },
  ],
}
