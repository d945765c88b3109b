/**
 * Sentences of the API in German, by the English ones: why something can't be done, what is wrong with what was sent, what was done, what happened to a record, what somebody is told. The first that fits counts. Braces stand for
 * whatever is there: `{=…}` for words that have a German name (one, or several with commas), others for what is people's own. What isn't here
 * stays as it is.
 */
export const sentences: [english: string, german: string][] = `
You were mentioned|Sie wurden erwähnt
{who} mentioned you in a note on asset {name}.|{who} erwähnt Sie in einer Notiz zum Gegenstand {name}.
{who} mentioned you in a note on company {name}.|{who} erwähnt Sie in einer Notiz zur Firma {name}.
{who} mentioned you in a note on contact {name}.|{who} erwähnt Sie in einer Notiz zum Kontakt {name}.
{who} mentioned you in a note on contract {name}.|{who} erwähnt Sie in einer Notiz zum Vertrag {name}.
{who} mentioned you in a note on credit note {name}.|{who} erwähnt Sie in einer Notiz zur Gutschrift {name}.
{who} mentioned you in a note on estimate {name}.|{who} erwähnt Sie in einer Notiz zum Kostenvoranschlag {name}.
{who} mentioned you in a note on expense {name}.|{who} erwähnt Sie in einer Notiz zur Ausgabe {name}.
{who} mentioned you in a note on incoming invoice {name}.|{who} erwähnt Sie in einer Notiz zur Eingangsrechnung {name}.
{who} mentioned you in a note on invoice {name}.|{who} erwähnt Sie in einer Notiz zur Rechnung {name}.
{who} mentioned you in a note on lead {name}.|{who} erwähnt Sie in einer Notiz zum Lead {name}.
{who} mentioned you in a note on opportunity {name}.|{who} erwähnt Sie in einer Notiz zur Verkaufschance {name}.
{who} mentioned you in a note on payment {name}.|{who} erwähnt Sie in einer Notiz zur Zahlung {name}.
{who} mentioned you in a note on project {name}.|{who} erwähnt Sie in einer Notiz zum Projekt {name}.
{who} mentioned you in a note on purchase order {name}.|{who} erwähnt Sie in einer Notiz zur Bestellung {name}.
{who} mentioned you in a note on quotation {name}.|{who} erwähnt Sie in einer Notiz zum Angebot {name}.
{who} mentioned you in a note on task {name}.|{who} erwähnt Sie in einer Notiz zur Aufgabe {name}.
Lead assigned to you|Ihnen wurde ein Lead zugewiesen
{who} assigned you the lead {name}.|{who} hat Ihnen den Lead {name} zugewiesen.
Leads assigned to you|Ihnen wurden Leads zugewiesen
{who} assigned you {count} leads.|{who} hat Ihnen {count} Leads zugewiesen.
Duplicate of a lead|Doppelter Lead
An import has brought {name} again, who became a lead on the same day.|Ein Import brachte {name} noch einmal, am selben Tag schon als Lead angelegt.
Duplicates of leads|Doppelte Leads
An import has brought {count} leads again that were made on the same day.|Ein Import brachte {count} Leads noch einmal, die am selben Tag schon angelegt wurden.
Import completed|Import abgeschlossen
Import failed|Import fehlgeschlagen
Imported {file}: {added} added, {updated} updated, {skipped} skipped, {failed} failed.|{file} importiert: {added} neu, {updated} geändert, {skipped} übersprungen, {failed} fehlgeschlagen.
Could not import all of {file}: {added} added, {updated} updated, {skipped} skipped, {failed} failed.|{file} nicht vollständig importiert: {added} neu, {updated} geändert, {skipped} übersprungen, {failed} fehlgeschlagen.
Task assigned to you|Ihnen wurde eine Aufgabe zugewiesen
{who} assigned you the task {name}.|{who} hat Ihnen die Aufgabe {name} zugewiesen.
Tasks assigned to you|Ihnen wurden Aufgaben zugewiesen
{who} assigned you {count} tasks.|{who} hat Ihnen {count} Aufgaben zugewiesen.
{who} changed {count} records together.|{who} hat {count} Einträge zusammen geändert.
New invoice|Neue Rechnung
Invoice {name} was created and is yours.|Rechnung {name} wurde angelegt, Sie sind zuständig.
Invoice paid|Rechnung bezahlt
Invoice {name} is paid.|Rechnung {name} ist bezahlt.
Invoice {name} was paid.|Rechnung {name} wurde bezahlt.
Invoice voided|Rechnung storniert
Invoice {name} was voided.|Rechnung {name} wurde storniert.
Payment posted|Zahlung gebucht
Payment {payment} pays a part of invoice {name}.|Zahlung {payment} bezahlt einen Teil der Rechnung {name}.
Payment voided|Zahlung storniert
Payment {payment} was voided: what it paid of invoice {name} is due again.|Zahlung {payment} wurde storniert: was sie von der Rechnung {name} bezahlte, ist wieder offen.
Credit note applied|Gutschrift verrechnet
A credit note was applied to invoice {name}.|Eine Gutschrift wurde mit der Rechnung {name} verrechnet.
Quotation accepted|Angebot angenommen
Quotation {name} was accepted.|Angebot {name} wurde angenommen.
Quotation rejected|Angebot abgelehnt
Quotation {name} was rejected.|Angebot {name} wurde abgelehnt.
Quotation expired|Angebot abgelaufen
Quotation {name} has expired.|Angebot {name} ist abgelaufen.
Estimate accepted|Kostenvoranschlag angenommen
Estimate {name} was accepted.|Kostenvoranschlag {name} wurde angenommen.
Estimate declined|Kostenvoranschlag abgelehnt
Estimate {name} was declined.|Kostenvoranschlag {name} wurde abgelehnt.
Estimate expired|Kostenvoranschlag abgelaufen
Estimate {name} has expired.|Kostenvoranschlag {name} ist abgelaufen.
Contract signed|Vertrag unterschrieben
Contract {name} was signed by the customer.|Vertrag {name} wurde vom Kunden unterschrieben.
Contract expired|Vertrag abgelaufen
Contract {name} has expired.|Vertrag {name} ist abgelaufen.
Contract terminated|Vertrag gekündigt
Contract {name} was terminated.|Vertrag {name} wurde gekündigt.
Purchase order received|Bestellung eingegangen
Purchase order {name} was received.|Bestellung {name} ist eingegangen.
Purchase order cancelled|Bestellung storniert
Purchase order {name} was cancelled.|Bestellung {name} wurde storniert.
It is not possible to {move} {noun} that is {=state}. Nothing can follow.|Im Stand „{=state}“ nicht möglich; es kann nichts mehr folgen.
It is not possible to {move} {noun} that is {=state}. Possible now: {=moves}.|Im Stand „{=state}“ nicht möglich. Jetzt möglich: {=moves}.
{noun} cannot go back to {=state}.|Zurück auf „{=state}“ geht es nicht.
Only draft {noun} can be edited.|Nur Entwürfe lassen sich bearbeiten.
Only draft transfers can be deleted. Cancel this one.|Nur Entwürfe lassen sich löschen; diese Umlagerung lässt sich stornieren.
Only received invoices can be changed; this one is {=state}.|Nur eingegangene Rechnungen lassen sich ändern; diese ist: {=state}.
Only an unpaid invoice is paid by a link; this one is {=state}.|Nur eine offene Rechnung wird über einen Link bezahlt; diese ist: {=state}.
Only {states} {noun} become invoices; this one is {=state}.|Im Stand „{=state}“ wird daraus keine Rechnung.
Payments or credits were applied to {number}; void or unapply them before deleting it.|Zu {number} sind Zahlungen oder Gutschriften verrechnet; vor dem Löschen sind sie zu stornieren oder zu lösen.
Payments or credits were applied to {number}; void or unapply them before voiding it.|Zu {number} sind Zahlungen oder Gutschriften verrechnet; vor dem Stornieren sind sie zu stornieren oder zu lösen.
{number} is not the first invoice of an active series.|{number} ist nicht die erste Rechnung einer laufenden Serie.
{number} is for another customer than {other}.|{number} ist für einen anderen Kunden als {other}.
{number} is applied to invoices; unapply it before voiding it.|{number} ist mit Rechnungen verrechnet; das ist vor dem Stornieren zu lösen.
{number} was already converted to an invoice.|{number} wurde schon zur Rechnung.
{number} was already converted to an expense.|{number} wurde schon zur Ausgabe.
Void the credit note before deleting it.|Vor dem Löschen ist die Gutschrift zu stornieren.
Void the payment before deleting it.|Vor dem Löschen ist die Zahlung zu stornieren.
Nothing is left to pay of this invoice.|Von dieser Rechnung ist nichts mehr offen.
Customers are reminded of unpaid invoices only, on which something is left to pay.|Erinnert wird nur an offene Rechnungen.
No way to pay is switched on: set up a bank account or Stripe in /payment-methods first.|Noch ist kein Zahlungsweg eingerichtet: zuerst unter „Zahlungsarten“ ein Bankkonto oder Stripe eintragen.
The contract names no value to invoice.|Der Vertrag nennt keinen Wert, der zu berechnen wäre.
This lead is converted already.|Aus diesem Lead ist schon ein Kontakt geworden.
A {=state} purchase order cannot be converted; it must have been sent.|Im Stand „{=state}“ nicht möglich: die Bestellung muss versendet sein.
The last day of this {noun} is over.|Der letzte Tag ist vorbei.
This {noun} is {=state}; only one that was sent can be accepted by a link.|Im Stand „{=state}“ nicht möglich: nur Versendetes lässt sich über einen Link annehmen.
The {module} module is not available for this workspace.|Das Modul {module} steht hier nicht zur Verfügung.
It became an expense, and is the voucher of that.|Daraus wurde eine Ausgabe, deren Beleg es ist.
This user is an employee already.|Diese Person ist schon Mitarbeiter.
This user has accepted the invitation already.|Die Einladung ist schon angenommen.
The owner can't be {deed}.|Mit der Inhaberin oder dem Inhaber geht das nicht.
You can't be {deed} by yourself.|Mit sich selbst geht das nicht.
Created|Angelegt
Changed|Geändert
Changed {=fields}|Geändert: {=fields}
Assigned to {name}|Zugewiesen an {name}
Unassigned|Niemandem mehr zugewiesen
Status changed from {=from} to {=to}|Stand: {=from} → {=to}
Stage changed from {from} to {to}|Phase: {from} → {to}
Note added|Notiz hinzugefügt
Deleted|Gelöscht
Restored|Wiederhergestellt
Voided|Storniert
Mailed to {to}|Per E-Mail an {to}
Reminded {to}|Erinnert: {to}
Not reminded: the customer has no e-mail address|Nicht erinnert: es ist keine E-Mail-Adresse bekannt
Reminders paused|Erinnerungen angehalten
Reminders resumed|Erinnerungen fortgesetzt
Converted to invoice {id}|Wurde zur Rechnung (Nr. {id})
Converted to expense {id}|Wurde zur Ausgabe (Nr. {id})
Became expense {id}|Wurde zur Ausgabe (Nr. {id})
Rejected: {reason}|Abgelehnt: {reason}
Applied {amount} to an invoice|{amount} mit einer Rechnung verrechnet
Applied {amount} to {number}|{amount} mit {number} verrechnet
Took {amount} back from an invoice|{amount} von einer Rechnung gelöst
Took {amount} back from {number}|{amount} von {number} gelöst
Series started, next on {day}|Serie begonnen, als Nächstes am {day}
Issued without an e-invoice: {why}|Ohne E-Rechnung ausgestellt: {why}
Issued an invoice|Rechnung ausgestellt
Issued {number}|{number} ausgestellt
Checked in|Gekommen
Checked out|Gegangen
Suspended|Gesperrt
Suspension lifted|Entsperrt
Address verified|Adresse bestätigt
Series stopped|Serie beendet
Series ended with its first invoice|Serie mit ihrer ersten Rechnung beendet
Series is over|Serie zu Ende
Tagged {added}; No longer tagged {removed}|Schlagworte hinzugefügt: {added}; entfernt: {removed}
Tagged {added}|Schlagworte hinzugefügt: {added}
No longer tagged {removed}|Schlagworte entfernt: {removed}
Members changed: {added} added; {removed} removed|Mitglieder geändert: {added} hinzugefügt; {removed} entfernt
Members changed: {added} added|Mitglieder geändert: {added} hinzugefügt
Members changed: {removed} removed|Mitglieder geändert: {removed} entfernt
Allocated {amount} to an invoice|{amount} einer Rechnung zugeordnet
Allocated {amount} to {number}|{amount} der {number} zugeordnet
Signature requested, by a link until {day}|Unterschrift erbeten, über einen Link bis {day}
Signed by {who}|Unterschrieben von {who}
Converted: contact {contact}, company {company}, opportunity {opportunity}|Umgewandelt: Kontakt {contact}, Firma {company}, Verkaufschance {opportunity}
Converted: contact {contact}, company {company}|Umgewandelt: Kontakt {contact}, Firma {company}
Converted: contact {contact}, opportunity {opportunity}|Umgewandelt: Kontakt {contact}, Verkaufschance {opportunity}
Converted: company {company}, opportunity {opportunity}|Umgewandelt: Firma {company}, Verkaufschance {opportunity}
Converted: contact {contact}|Umgewandelt: Kontakt {contact}
Converted: company {company}|Umgewandelt: Firma {company}
Converted: opportunity {opportunity}|Umgewandelt: Verkaufschance {opportunity}
Conversion completed: contact {contact}, company {company}, opportunity {opportunity}|Umwandlung abgeschlossen: Kontakt {contact}, Firma {company}, Verkaufschance {opportunity}
Conversion completed: contact {contact}, company {company}|Umwandlung abgeschlossen: Kontakt {contact}, Firma {company}
Conversion completed: contact {contact}, opportunity {opportunity}|Umwandlung abgeschlossen: Kontakt {contact}, Verkaufschance {opportunity}
Conversion completed: company {company}, opportunity {opportunity}|Umwandlung abgeschlossen: Firma {company}, Verkaufschance {opportunity}
Conversion completed: contact {contact}|Umwandlung abgeschlossen: Kontakt {contact}
Conversion completed: company {company}|Umwandlung abgeschlossen: Firma {company}
Conversion completed: opportunity {opportunity}|Umwandlung abgeschlossen: Verkaufschance {opportunity}
Converted|Umgewandelt
Conversion completed|Umwandlung abgeschlossen
Follow-up planned: {title}|Wiedervorlage geplant: {title}
Follow-up changed: {title}|Wiedervorlage geändert: {title}
Follow-up rescheduled: {title}|Wiedervorlage verschoben: {title}
Follow-up completed: {title}|Wiedervorlage erledigt: {title}
{=noun} sent.|{=noun}: versendet.
{=noun} saved.|{=noun}: gesichert.
{=noun} created.|{=noun}: angelegt.
{=noun} updated.|{=noun}: geändert.
{=noun} deleted.|{=noun}: gelöscht.
{=noun} voided.|{=noun}: storniert.
{=noun} issued.|{=noun}: ausgestellt.
{=noun} drafted.|{=noun}: als Entwurf angelegt.
{=noun} converted.|{=noun}: umgewandelt.
{=noun} assigned.|{=noun}: zugewiesen.
{=noun} received.|{=noun}: eingegangen.
{=noun} rejected.|{=noun}: abgelehnt.
{=noun} restored.|{=noun}: wiederhergestellt.
{=noun} suspended.|{=noun}: gesperrt.
Status changed.|Stand geändert.
Is required.|Muss angegeben werden.
Is required, or first_name.|Muss angegeben werden, oder der Vorname.
Is required, or first_name or last_name.|Muss angegeben werden, oder Vor- oder Nachname.
Is required when the tag makes follow-ups by itself.|Muss angegeben werden, wenn der Tag selbst Wiedervorlagen plant.
Must not be empty.|Darf nicht leer sein.
Must not be blank.|Darf nicht leer sein.
Must be at most {n} characters.|Höchstens {n} Zeichen.
Must have at most {n} characters.|Höchstens {n} Zeichen.
Must be at most {n} characters in all.|Zusammen höchstens {n} Zeichen.
Must have at least {n} characters.|Mindestens {n} Zeichen.
Must have at least {n} entries.|Mindestens {n} Einträge.
Must have at least {n} entry.|Mindestens {n} Eintrag.
Must have at most {n} entries.|Höchstens {n} Einträge.
Must have at most {n} entry.|Höchstens {n} Eintrag.
Must have at least one line.|Mindestens eine Zeile.
Must be at most {n} lines.|Höchstens {n} Zeilen.
Must be at most {n} tags.|Höchstens {n} Tags.
Must be at most {n} users.|Höchstens {n} Personen.
Must be at most {n} leads.|Höchstens {n} Leads.
Must be at most {n} ids.|Höchstens {n} Datensätze.
Must be at most {n} addresses.|Höchstens {n} Adressen.
Must be at most {n} managers.|Höchstens {n} Leitungen.
Must be at most {n} allocations.|Höchstens {n} Zuordnungen.
Must be at most {n} steps.|Höchstens {n} Stufen.
Must be at most {n} pages.|Höchstens {n} Seiten.
Must be at most {n} languages.|Höchstens {n} Sprachen.
Must be at most {n} percent.|Höchstens {n} Prozent.
Must be at most {n} MB.|Höchstens {n} MB.
Must be at most {n} KB.|Höchstens {n} KB.
Must be at least one step.|Mindestens eine Stufe.
Must be at least one allocation.|Mindestens eine Zuordnung.
Must be at most what is left to pay, {amount}.|Höchstens, was noch offen ist: {amount}.
Must be at most what is left to pay on {number}, {amount}.|Höchstens, was von {number} noch offen ist: {amount}.
Must be at most what is left of {number}, {amount}.|Höchstens, was von {number} übrig ist: {amount}.
Must be at most what the line comes to, {amount}.|Höchstens, worauf die Zeile kommt: {amount}.
Must leave all allocations together at most {amount}.|Alle Zuordnungen zusammen höchstens {amount}.
Must be at most the amount, which it is a part of.|Höchstens der Betrag, von dem es ein Teil ist.
Must be at most {n}.|Höchstens {n}.
Must be at least {n}.|Mindestens {n}.
Must be above {n}.|Muss über {n} liegen.
Must be below {n}.|Muss unter {n} liegen.
Must be {n} or more.|Mindestens {n}.
Must have at most {n} decimals in {currency}.|Höchstens {n} Nachkommastellen in {currency}.
Must have at most {n} decimals.|Höchstens {n} Nachkommastellen.
Must be a number.|Muss eine Zahl sein.
Must be a number, with at most {n} decimals.|Muss eine Zahl mit höchstens {n} Nachkommastellen sein.
Must be a whole number.|Muss eine ganze Zahl sein.
Must be a whole number from {from} to {to}.|Muss eine ganze Zahl von {from} bis {to} sein.
Must be a whole number between {from} and {to}.|Muss eine ganze Zahl von {from} bis {to} sein.
Must be a whole number of hours.|Muss eine ganze Zahl von Stunden sein.
Must be true or false.|Muss Ja oder Nein sein.
Must be a text.|Muss ein Text sein.
Must be one line.|Darf nur eine Zeile haben.
Must be one line, without tabs or other control characters.|Darf nur eine Zeile haben, ohne Tabulatoren oder Steuerzeichen.
Must be well-formed Unicode text.|Muss gültiger Unicode-Text sein.
Must not contain NUL characters.|Darf keine NUL-Zeichen enthalten.
Must be an e-mail address.|Muss eine E-Mail-Adresse sein.
Must be an e-mail address, or a scheme and an id such as {a} or {b}.|Muss eine E-Mail-Adresse sein, oder ein Schema und eine Kennung wie {a} oder {b}.
Must be an http(s) address.|Muss eine Adresse mit http:// oder https:// sein.
Must be an address that begins with http:// or https://.|Muss eine Adresse sein, die mit http:// oder https:// beginnt.
Must be an address such as {example}.|Muss eine Adresse wie {example} sein.
Must be https: what is sent is read on the way.|Muss mit https:// beginnen: sonst wird unterwegs mitgelesen.
Must not contain a user name or a password.|Darf weder Benutzernamen noch Passwort enthalten.
Must not hold a user name or a password.|Darf weder Benutzernamen noch Passwort enthalten.
Must be a date, YYYY-MM-DD.|Muss ein Datum sein.
Must be a date between {from} and {to}.|Muss ein Datum von {from} bis {to} sein.
Must be a date after the year 0.|Muss ein Datum nach dem Jahr 0 sein.
Must be an instant such as {example}.|Muss ein Zeitpunkt wie {example} sein.
Must be an instant of the years {from} to {to}, such as {example}.|Muss ein Zeitpunkt der Jahre {from} bis {to} sein, etwa {example}.
Must be a time such as {example}.|Muss eine Uhrzeit wie {example} sein.
Must be in the future.|Muss in der Zukunft liegen.
Must be after today.|Muss nach heute liegen.
Must be {day} or later, when the project starts.|Frühestens {day}, wenn das Projekt beginnt.
Must not be before starts_on.|Darf nicht vor dem Beginn liegen.
Must not be before issue_date.|Darf nicht vor dem Rechnungsdatum liegen.
Must be after issue_date.|Muss nach dem Rechnungsdatum liegen.
Must not be before delivery_period_start.|Darf nicht vor dem Beginn des Leistungszeitraums liegen.
Must not be before recurrence_next_issue_on.|Darf nicht vor der nächsten Rechnung liegen.
Must not be before from.|Darf nicht vor dem Beginn liegen.
Must not be before the check-in at {time}.|Darf nicht vor dem Kommen um {time} liegen.
Must be a 3-letter currency code.|Muss ein Währungscode aus drei Buchstaben sein.
Must be an ISO 4217 currency code such as USD.|Muss ein Währungscode nach ISO 4217 sein, etwa EUR.
Must be a 2-letter country code.|Muss ein Ländercode aus zwei Buchstaben sein.
Must be a country by ISO 3166-1, such as DE.|Muss ein Land nach ISO 3166-1 sein, etwa DE.
Must be a language tag such as en or pt-BR.|Muss ein Sprachcode wie de oder pt-BR sein.
Must be an IANA timezone such as Europe/Paris.|Muss eine Zeitzone wie Europe/Berlin sein.
Must be an IBAN: a letter or digit of it is wrong.|Das ist keine gültige IBAN: ein Zeichen stimmt nicht.
Must be a BIC of 8 or 11 letters and digits.|Muss eine BIC aus 8 oder 11 Zeichen sein.
Must be a VAT id with its country before it, such as {example}.|Muss eine USt-IdNr. mit Land davor sein, etwa {example}.
Must be a code of UN/ECE Recommendation 20, such as C62 (piece) or HUR (hour).|Muss ein Code nach UN/ECE Rec. 20 sein, etwa C62 (Stück) oder HUR (Stunde).
Must be a colour such as {example}.|Muss eine Farbe wie {example} sein.
Must be a colour, #RRGGBB.|Muss eine Farbe sein: #RRGGBB.
Must be a hostname such as {example}.|Muss ein Hostname wie {example} sein.
Must be a network such as {a} or {b}.|Muss ein Netz wie {a} oder {b} sein.
Must be the name or the address of a server.|Muss der Name oder die Adresse eines Servers sein.
Must be lower-case letters, digits and hyphens.|Nur Kleinbuchstaben, Ziffern und Bindestriche.
Must be lower-case letters and digits, with hyphens between them.|Nur Kleinbuchstaben und Ziffern, dazwischen Bindestriche.
Must be lower-case words with hyphens between them.|Nur Wörter in Kleinbuchstaben, dazwischen Bindestriche.
Must be letters and digits, with hyphens between them.|Nur Buchstaben und Ziffern, dazwischen Bindestriche.
Must be {n} to {m} lowercase letters, digits and hyphens.|{n} bis {m} Kleinbuchstaben, Ziffern und Bindestriche.
Must have no control characters and neither / nor \\.|Keine Steuerzeichen, weder / noch \\.
Must contain a character that is neither a letter nor a digit.|Muss ein Zeichen enthalten, das weder Buchstabe noch Ziffer ist.
Must be the same as the password.|Muss mit dem Passwort übereinstimmen.
Must be a PNG or SVG picture.|Muss ein Bild sein: PNG oder SVG.
Must be a PNG, JPEG or WebP picture.|Muss ein Bild sein: PNG, JPEG oder WebP.
Must be a PNG picture.|Muss ein PNG-Bild sein.
Must be a picture that can be printed.|Muss ein Bild sein, das sich drucken lässt.
Must be a picture of at most {n} KB.|Muss ein Bild von höchstens {n} KB sein.
Must be a .csv or .xlsx file, and have a name that says so.|Muss eine Datei .csv oder .xlsx sein und auch so heißen.
Must have a header row.|Die Datei braucht eine Kopfzeile.
Must have a row below its header.|Unter der Kopfzeile muss mindestens eine Zeile stehen.
Must be one of the file’s column headers.|Muss eine der Spalten der Datei sein.
Must not be protected by a password.|Darf nicht durch ein Passwort geschützt sein.
Must be one of {choices}.|Muss eines davon sein: {choices}.
Must name at least one role.|Mindestens eine Rolle angeben.
Must name at least one scope.|Mindestens ein Recht angeben.
Must name at least one type.|Mindestens einen Typ angeben.
Must name at least one message.|Mindestens eine Nachricht angeben.
Must name at least one document.|Mindestens ein Dokument angeben.
Must name at least one lead.|Mindestens einen Lead angeben.
Must name each document once.|Jedes Dokument nur einmal angeben.
Must not name a language twice.|Keine Sprache zweimal angeben.
Must not have two steps of the same days.|Keine zwei Stufen am selben Tag.
Must be another warehouse than the one that it leaves.|Muss ein anderes Lager sein als das, aus dem es geht.
Must be a user of this workspace who may be given leads: not suspended, not the owner, not excluded from them.|Muss jemand sein, der Leads bekommen darf: nicht gesperrt, nicht die Inhaberin oder der Inhaber, nicht davon ausgenommen.
Must be a user who is not suspended.|Muss jemand sein, der nicht gesperrt ist.
Must be a type such as {example}.|Muss ein Typ wie {example} sein.
Must be types such as invoice.paid or vendor.*, not {type}.|Müssen Typen wie invoice.paid oder vendor.* sein, nicht {type}.
Must be an id (a whole number).|Muss ein Datensatz sein.
Must be an id (a whole number above 0).|Muss ein Datensatz sein.
Must be a uuid.|Muss eine UUID sein.
There is no such {noun} in this workspace.|Das gibt es in diesem Arbeitsbereich nicht.
There is no such {noun}.|Das gibt es nicht.
There is no such document that you may see.|Ein solches Dokument dürfen Sie nicht sehen.
Only drafts can be edited.|Nur Entwürfe lassen sich bearbeiten.
The total is too large.|Die Summe ist zu groß.
A stage is won or lost, not both.|Eine Phase ist gewonnen oder verloren, nicht beides.
A voided payment is not changed.|Eine stornierte Zahlung lässt sich nicht ändern.
A voided payment pays nothing.|Eine stornierte Zahlung bezahlt nichts.
A completed follow-up is not rescheduled.|Eine erledigte Wiedervorlage lässt sich nicht verschieben.
This follow-up is completed already.|Diese Wiedervorlage ist schon erledigt.
Another short link has this code.|Diesen Code hat schon ein anderer Kurzlink.
Another workspace has this slug.|Diesen Namen hat schon ein anderer Arbeitsbereich.
This slug is reserved.|Dieser Name ist vergeben.
Name a recipient.|Bitte einen Empfänger angeben.
Name a recipient; the linked record has no e-mail address.|Bitte einen Empfänger angeben: am Datensatz steht keine E-Mail-Adresse.
Needs a check-in before it.|Davor muss ein Kommen stehen.
You are late: say why.|Sie sind verspätet: bitte einen Grund angeben.
You did not check in today.|Heute ist noch kein Kommen gebucht.
Say what the reason is.|Bitte den Grund angeben.
Send a file, or the document_id of one of the firm’s documents.|Bitte eine Datei wählen, oder eines der Dokumente der Firma.
Send the invoice before mailing it; cancelled ones are not mailed.|Erst versenden, dann mailen; stornierte werden nicht gemailt.
Send the purchase order before mailing it; cancelled ones are not mailed.|Erst versenden, dann mailen; stornierte werden nicht gemailt.
Send the purchase order first; a draft has no PDF.|Erst versenden: ein Entwurf hat kein PDF.
Say first what its columns mean: PUT the mapping.|Zuerst angeben, was die Spalten bedeuten.
No invoice is certain: say which ones it pays, each by how much.|Keine Rechnung ist sicher: bitte angeben, welche bezahlt werden und mit wie viel.
The default warehouse must be active. Make another one the default first.|Das Standardlager muss aktiv sein. Zuerst ein anderes zum Standard machen.
This workspace has no default warehouse: name one, or make one the default.|Es gibt kein Standardlager: eines angeben, oder eines zum Standard machen.
The reason for everything else cannot be deleted.|Der Grund für alles Übrige lässt sich nicht löschen.
The reason for everything else stays in use.|Der Grund für alles Übrige bleibt in Gebrauch.
The category for everything else cannot be deleted.|Die Kategorie für alles Übrige lässt sich nicht löschen.
The category for everything else stays in use.|Die Kategorie für alles Übrige bleibt in Gebrauch.
This document category still has documents.|In dieser Kategorie sind noch Dokumente.
The service itself uses this tag; it cannot be deleted.|Diesen Tag braucht der Dienst selbst; er lässt sich nicht löschen.
The role superadmin passes every gate; it is not changed.|Die Rolle superadmin darf alles und lässt sich nicht ändern.
Only the owner may change the owner.|Nur die Inhaberin oder der Inhaber darf das ändern.
The owner can’t be suspended.|Die Inhaberin oder der Inhaber lässt sich nicht sperren.
Change your own password in your profile, by the old one.|Das eigene Passwort ändern Sie in Ihrem Konto, mit dem alten.
This is not your present password.|Das ist nicht Ihr jetziges Passwort.
Enter the password again, because it would go to another server, or there unencrypted.|Das Passwort noch einmal eingeben, weil es an einen anderen Server ginge, oder unverschlüsselt dorthin.
This code is not right, or was used already.|Der Code stimmt nicht, oder er wurde schon verwendet.
This challenge is over. Sign in again.|Das hat zu lange gedauert. Bitte noch einmal anmelden.
This link is not valid any more. Ask for a new one.|Dieser Link gilt nicht mehr. Bitte einen neuen anfordern.
This account is suspended.|Dieses Konto ist gesperrt.
This template is not active.|Diese Vorlage ist nicht aktiv.
The domain is not verified yet.|Die Domain ist noch nicht bestätigt.
Claim a domain first.|Zuerst eine Domain beanspruchen.
This endpoint is switched off; switch it on first.|Dieser Endpunkt ist ausgeschaltet; zuerst einschalten.
It isn’t done yet.|Es ist noch nicht fertig.
It has been undone.|Es wurde schon rückgängig gemacht.
It was changed since.|Es wurde seither geändert.
The document has changed since you read it. Please read it again.|Der Datensatz wurde inzwischen geändert. Bitte neu laden.
This can’t be done while you work as somebody else.|Das geht nicht, solange Sie als jemand anderes arbeiten.
Verify your e-mail address first.|Bestätigen Sie zuerst Ihre E-Mail-Adresse.
It is for a purchase order that you may not see; somebody who may has to do this.|Sie gehört zu einer Bestellung, die Sie nicht sehen dürfen; das muss jemand tun, der sie sieht.
This needs the permission {permission}.|Dazu fehlt das Recht „{permission}“.
The module {module} is not installed in this workspace.|Das Modul {module} ist hier nicht installiert.
This workspace is {closure}.|Dieser Arbeitsbereich ist geschlossen ({closure}).
A shared view is changed by whoever made it and by the owner of the workspace.|Eine geteilte Ansicht ändert, wer sie gemacht hat, oder die Inhaberin oder der Inhaber.
A template is changed by its creator and by the owner of the workspace.|Eine Vorlage ändert, wer sie gemacht hat, oder die Inhaberin oder der Inhaber.
Only who uploaded a document and the owner of the workspace may delete it.|Löschen darf, wer das Dokument hochgeladen hat, oder die Inhaberin oder der Inhaber.
Only active employees check in and out, where the workspace lets them.|Nur aktive Mitarbeitende buchen Kommen und Gehen, wo der Arbeitsbereich es erlaubt.
Documents can not be printed at the moment.|Zurzeit lassen sich keine Dokumente drucken.
Files can not be reached at the moment. Try again soon.|Dateien sind zurzeit nicht erreichbar. Bitte bald noch einmal versuchen.
The database cannot be reached at the moment. Try again soon.|Die Datenbank ist zurzeit nicht erreichbar. Bitte bald noch einmal versuchen.
Somebody else is changing the same. Try again in a few seconds.|Jemand anderes ändert gerade dasselbe. Bitte gleich noch einmal versuchen.
This took longer than it may. Ask for less at once, or try again later.|Das hat zu lange gedauert. Weniger auf einmal verlangen, oder später noch einmal versuchen.
Too much is going on at the moment. Try again in a few seconds.|Zurzeit ist zu viel los. Bitte gleich noch einmal versuchen.
Too much is going on at the moment. Try again soon.|Zurzeit ist zu viel los. Bitte bald noch einmal versuchen.
Sign in first.|Bitte zuerst anmelden.
Not found.|Nicht gefunden.
`
  .trim()
  .split('\n')
  .map((line) => line.split('|') as [string, string])
