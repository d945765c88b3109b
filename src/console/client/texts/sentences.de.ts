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
Mailed|Per E-Mail verschickt
Reminded {to}|Erinnert: {to}
Reminded|Erinnert
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
Issued without what {source} asks for: {missing}|Ausgestellt ohne das, was {source} verlangt: {missing}
The country of the workspace is missing, so it isn’t known what its law asks for.|Das Land des Arbeitsbereichs fehlt; was sein Recht verlangt, ist darum nicht bekannt.
The address of the workspace is missing.|Die Anschrift des Arbeitsbereichs fehlt.
The VAT id or the tax number of the workspace is missing.|Die USt-IdNr. oder die Steuernummer des Arbeitsbereichs fehlt.
The VAT id of the workspace is missing.|Die USt-IdNr. des Arbeitsbereichs fehlt.
The customer is missing.|Der Kunde fehlt.
The address of the customer is missing.|Die Anschrift des Kunden fehlt.
The VAT id of the customer is missing.|Die USt-IdNr. des Kunden fehlt.
The day by which it is to be paid is missing.|Der Tag, bis zu dem zu zahlen ist, fehlt.
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
Ready to be sent.|Bereit zum Versenden.
Test message sent.|Testnachricht versendet.
Receipt recorded.|Wareneingang gebucht.
Series stopped.|Serie beendet.
The reminder is on its way.|Die Erinnerung ist unterwegs.
Reminders paused.|Erinnerungen angehalten.
Reminders resumed.|Erinnerungen fortgesetzt.
The mail is on its way.|Die E-Mail ist unterwegs.
The mail is on its way again.|Die E-Mail ist noch einmal unterwegs.
A mail is on its way.|Eine E-Mail ist unterwegs.
If the address is known, a mail is on its way.|Ist die Adresse bekannt, ist eine E-Mail unterwegs.
If this address is invited, the invitation is on its way again.|Ist diese Adresse eingeladen, ist die Einladung noch einmal unterwegs.
The invitation is on its way again.|Die Einladung ist noch einmal unterwegs.
The address is verified.|Die Adresse ist bestätigt.
The address stays. Everybody was signed out.|Die Adresse bleibt. Alle wurden abgemeldet.
Address verified.|Adresse bestätigt.
Owner verified.|Inhaberin oder Inhaber bestätigt.
The test mail was taken.|Die Testmail wurde angenommen.
The password is right.|Das Passwort stimmt.
The password was changed. Sign in with it.|Das Passwort wurde geändert. Melden Sie sich damit an.
Password changed.|Passwort geändert.
Signed in.|Angemeldet.
Signed out.|Abgemeldet.
Session ended.|Sitzung beendet.
The other sessions were ended.|Die anderen Sitzungen wurden beendet.
Scan the code and confirm it.|Scannen Sie den Code und bestätigen Sie ihn.
The second factor is turned on. Keep the recovery codes.|Der zweite Faktor ist eingeschaltet. Bewahren Sie die Wiederherstellungscodes auf.
The second factor is turned off.|Der zweite Faktor ist ausgeschaltet.
These recovery codes replace the former ones.|Diese Wiederherstellungscodes ersetzen die bisherigen.
Passkey added.|Passkey hinzugefügt.
Passkey confirmed.|Passkey bestätigt.
Welcome.|Willkommen.
Welcome. Sign in with the password.|Willkommen. Melden Sie sich mit dem Passwort an.
Welcome. Verify your e-mail address, then sign in.|Willkommen. Bestätigen Sie Ihre E-Mail-Adresse, dann melden Sie sich an.
Thank you. You will hear from us by e-mail.|Danke. Sie hören per E-Mail von uns.
API key created. It is shown this once.|API-Schlüssel angelegt. Er wird nur dieses eine Mal gezeigt.
API key rotated. The new one is shown this once.|API-Schlüssel erneuert. Der neue wird nur dieses eine Mal gezeigt.
API key revoked.|API-Schlüssel widerrufen.
Endpoint created. Its key and its secret are shown this once.|Endpunkt angelegt. Schlüssel und Geheimnis werden nur dieses eine Mal gezeigt.
The earlier key and secret have ended. The new ones are shown this once.|Der bisherige Schlüssel und das Geheimnis gelten nicht mehr. Die neuen werden nur dieses eine Mal gezeigt.
Webhook endpoint created. Its secret is shown this once.|Webhook-Adresse angelegt. Ihr Geheimnis wird nur dieses eine Mal gezeigt.
Secret rotated. For a day messages are signed with both.|Geheimnis erneuert. Einen Tag lang werden Nachrichten mit beiden signiert.
Domain claimed. Set its DNS records, then verify it.|Domain beansprucht. Setzen Sie ihre DNS-Einträge, dann bestätigen Sie sie.
Domain checked.|Domain geprüft.
The domain is live.|Die Domain ist in Betrieb.
Account connected.|Konto verbunden.
Account disconnected.|Konto getrennt.
Both servers let you in.|Beide Server lassen Sie ein.
Synchronisation queued.|Der Abgleich beginnt gleich.
This is the default account.|Das ist jetzt das Standardkonto.
Message queued.|Nachricht wird versendet.
Message linked.|Nachricht verknüpft.
Messages changed.|Nachrichten geändert.
File attached.|Datei angehängt.
File uploaded.|Datei hochgeladen.
Note added.|Notiz hinzugefügt.
All notifications read.|Alle Benachrichtigungen gelesen.
Notification read.|Benachrichtigung gelesen.
They are told again.|Es wird ihnen noch einmal gesagt.
Preferences changed.|Einstellungen geändert.
Device registered.|Gerät angemeldet.
Device unregistered.|Gerät abgemeldet.
Bank statements read.|Kontoauszüge gelesen.
File read.|Datei gelesen.
Certain matches booked.|Sichere Zuordnungen gebucht.
Transaction matched.|Umsatz zugeordnet.
Transaction unmatched.|Zuordnung des Umsatzes gelöst.
Transaction ignored.|Umsatz übergangen.
Payment allocated.|Zahlung zugeordnet.
Credit note applied.|Gutschrift verrechnet.
Credit note taken back.|Verrechnung der Gutschrift gelöst.
Contract accepted.|Vertrag angenommen.
Whoever has the link can accept, once.|Wer den Link hat, kann einmal annehmen.
Whoever has the link can see the invoice and pay it.|Wer den Link hat, sieht die Rechnung und kann sie bezahlen.
Drawn; nothing was kept.|Gezeichnet; nichts wurde behalten.
Expense made.|Ausgabe angelegt.
Stage changed.|Phase geändert.
Tags reordered.|Schlagworte geordnet.
Follow-up planned.|Wiedervorlage geplant.
Follow-up completed.|Wiedervorlage erledigt.
Social ads disconnected.|Werbekonto getrennt.
Checked in.|Gekommen.
Checked out.|Gegangen.
Stock adjusted.|Bestand berichtigt.
Transfer dispatched.|Umlagerung abgeschickt.
Transfer completed.|Umlagerung abgeschlossen.
Import queued.|Der Import beginnt gleich.
Undoing queued.|Das Rückgängigmachen beginnt gleich.
Undone.|Rückgängig gemacht.
Batch accepted.|Der Auftrag ist angenommen.
It is tried again.|Es wird noch einmal versucht.
Tried.|Versucht.
This is what it will say.|So wird es lauten.
Role copied.|Rolle kopiert.
Suspension lifted.|Entsperrt.
Impersonation begun.|Sie arbeiten jetzt als jemand anderes.
Impersonation ended.|Sie arbeiten wieder als Sie selbst.
You work as the owner for an hour.|Sie arbeiten eine Stunde lang als Inhaberin oder Inhaber.
Module installed.|Modul installiert.
Module deactivated.|Modul ausgeschaltet.
Mode changed.|Modus geändert.
Gateway enabled.|Zahlungsanbieter eingeschaltet.
Gateway disabled.|Zahlungsanbieter ausgeschaltet.
Default gateway changed.|Standard-Zahlungsanbieter geändert.
Connection tested.|Verbindung geprüft.
Billing cycle changed.|Abrechnungszeitraum geändert.
Cancellation withdrawn.|Kündigung zurückgenommen.
Subscription cancelled.|Abonnement gekündigt.
Workspace archived.|Arbeitsbereich archiviert.
Workspace opened again.|Arbeitsbereich wieder geöffnet.
The workspace is gone for good. Its data and files are being erased.|Der Arbeitsbereich ist endgültig gelöscht. Seine Daten und Dateien werden entfernt.
{=noun} deleted for good.|{=noun}: endgültig gelöscht.
{=noun} accepted.|{=noun}: angenommen.
{=noun} declined.|{=noun}: abgelehnt.
{=noun} expired.|{=noun}: abgelaufen.
{=noun} cancelled.|{=noun}: storniert.
{=noun} closed.|{=noun}: geschlossen.
{=noun} reopened.|{=noun}: wieder geöffnet.
{=noun} removed.|{=noun}: entfernt.
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
A record has at most {n} notes.|Ein Datensatz hat höchstens {n} Notizen.
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
Must be a time such as 09:00 or 09:00:00.|Muss eine Uhrzeit wie 09:00 sein.
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
Must be a .csv, .xlsx or .vcf file, and have a name that says so.|Muss eine Datei .csv, .xlsx oder .vcf sein und auch so heißen.
Must hold vCards of version 3.0 or 4.0.|Muss vCards der Version 3.0 oder 4.0 enthalten.
Is no vCard file: it must begin with BEGIN:VCARD.|Ist keine vCard-Datei: Sie muss mit BEGIN:VCARD beginnen.
Is no vCard file: a line is no property of a card.|Ist keine vCard-Datei: Eine Zeile ist keine Angabe einer Karte.
Its last card has no END:VCARD.|Der letzten Karte fehlt END:VCARD.
A card begins inside another one.|Eine Karte beginnt in einer anderen.
A vCard file has no sheets.|Eine vCard-Datei hat keine Blätter.
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
Is required for a recurring invoice.|Muss bei einer Serienrechnung angegeben werden.
Is required for this action.|Muss dafür angegeben werden.
Is required: the tag {tag} asks for one.|Muss angegeben werden: das Schlagwort {tag} verlangt es.
Is required when line_discount_type is {type}.|Muss bei dieser Art von Rabatt angegeben werden.
Is required with email_attachment_id.|Muss zusammen mit dem Anhang angegeben werden.
Is required with email_message_uuid.|Muss zusammen mit der E-Mail angegeben werden.
Is needed before customers can pay by transfer.|Ist nötig, bevor Kunden überweisen können.
Is needed before customers can pay by Stripe.|Ist nötig, bevor Kunden über Stripe bezahlen können.
{sum} {currency} is still due; an invoice becomes paid by its payments.|{sum} {currency} sind noch offen; bezahlt wird eine Rechnung durch ihre Zahlungen.
{number} is {=status}; only issued credit notes can be applied.|{number} ist: {=status}; nur ausgestellte Gutschriften lassen sich verrechnen.
{number} is {=status}; only unpaid invoices can be paid or credited.|{number} ist: {=status}; nur offene Rechnungen lassen sich bezahlen oder verrechnen.
{number} is {=status} and was never issued; only an issued invoice can be corrected.|{number} ist: {=status} und wurde nie ausgestellt; nur eine ausgestellte Rechnung lässt sich korrigieren.
{number} is in {currency}, and the credit note in {other}.|{number} ist in {currency}, die Gutschrift in {other}.
{number} is not applied to such an invoice.|{number} ist mit einer solchen Rechnung nicht verrechnet.
{number} corrects this invoice; it can’t be removed for good.|{number} korrigiert diese Rechnung; sie lässt sich nicht endgültig löschen.
{number} is matched to another transaction already.|{number} ist schon einem anderen Umsatz zugeordnet.
Is in {currency}, and {number} in {other}.|Ist in {currency}, {number} aber in {other}.
Names an invoice again; name each one once.|Nennt eine Rechnung noch einmal; jede nur einmal angeben.
Stays as it was posted; void the payment and post another one.|Bleibt, wie es gebucht wurde: die Zahlung stornieren und neu buchen.
Only open transactions can be matched; this one is {=status}.|Nur offene Umsätze lassen sich zuordnen; dieser ist: {=status}.
Only a matched transaction can be unmatched; this one is {=status}.|Nur die Zuordnung eines zugeordneten Umsatzes lässt sich lösen; dieser ist: {=status}.
You may not see the latest unpaid invoice of this series, so you can’t void it.|Die neueste offene Rechnung dieser Serie dürfen Sie nicht sehen und darum nicht stornieren.
There are {n} active series, the most a workspace has. Stop one first.|Es laufen schon {n} Serien, mehr gehen nicht. Zuerst eine beenden.
Must be {day} or later: a series begins with at most {n} invoices that are due already.|Frühestens {day}: eine Serie beginnt mit höchstens {n} Rechnungen, die schon fällig sind.
Another reminder plan has this name.|Ein anderer Mahnplan heißt schon so.
Another reminder plan is active: switch that off first.|Ein anderer Mahnplan ist aktiv: zuerst diesen ausschalten.
{who} was reminded of this invoice within the last minute.|{who} wurde in der letzten Minute schon an diese Rechnung erinnert.
Another product of this workspace has this SKU.|Ein anderes Produkt hat schon diese Artikelnummer.
Another warehouse of this workspace has this code.|Ein anderes Lager hat schon diesen Code.
Another asset of this workspace has this code.|Ein anderer Gegenstand hat schon diesen Code.
Another department of this workspace has this name.|Eine andere Abteilung heißt schon so.
Another category has this name.|Eine andere Kategorie heißt schon so.
Another reason of this kind has this name.|Ein anderer Grund dieser Art heißt schon so.
Another document category has this slug.|Eine andere Dokumentart hat schon dieses Kürzel.
Another stage has this name.|Eine andere Phase heißt schon so.
Another tag has this name.|Ein anderes Schlagwort heißt schon so.
Another tag has this slug: send one that is free.|Ein anderes Schlagwort hat schon dieses Kürzel: bitte ein freies angeben.
Another label of this mailbox has this name.|Ein anderes Kennzeichen dieses Postfachs heißt schon so.
Another template of this context and channel has this name.|Eine andere Vorlage für diesen Kanal heißt schon so.
Another of your views of this list has this name.|Eine andere Ihrer Ansichten dieser Liste heißt schon so.
Another lead of this workspace has this external id.|Ein anderer Lead hat schon diese externe Kennung.
Another user of this workspace has this address.|Eine andere Person hier hat schon diese Adresse.
Another workspace has verified this domain.|Diese Domain hat schon ein anderer Arbeitsbereich bestätigt.
The domain was changed meanwhile.|Die Domain wurde inzwischen geändert.
The DNS gave no answer. Try again soon.|Das DNS gab keine Antwort. Bitte bald noch einmal versuchen.
This is a host of the platform. Use a domain of your own.|Das ist eine Adresse der Plattform. Bitte eine eigene Domain verwenden.
This code is reserved.|Dieser Code ist vergeben.
Must not be a short link itself: it would lead in a circle.|Darf nicht selbst ein Kurzlink sein: er führte im Kreis.
You have {n} views already. Delete one first.|Sie haben schon {n} Ansichten. Zuerst eine löschen.
This tag is named already.|Dieses Schlagwort ist schon angegeben.
The service itself uses this tag; its colour and its place can be changed, this cannot.|Dieses Schlagwort braucht der Dienst selbst; Farbe und Platz lassen sich ändern, dies nicht.
It would reopen the opportunities in {name}: move them to another stage first.|Das öffnete die Verkaufschancen in {name} wieder: zuerst in eine andere Phase legen.
There is no open stage to begin in: make one.|Es gibt keine offene Phase zum Beginnen: bitte eine anlegen.
This lead has become an opportunity already.|Aus diesem Lead ist schon eine Verkaufschance geworden.
This lead is converted already. Once Contacts is installed, it can get its contact.|Dieser Lead ist schon umgewandelt. Sobald „Kontakte“ installiert ist, kann er seinen Kontakt bekommen.
This employee has a record of this day already.|Zu diesem Tag gibt es schon einen Eintrag.
You checked in today at {time}.|Ihr Kommen ist heute schon gebucht: {time}.
You checked out today at {time}.|Ihr Gehen ist heute schon gebucht: {time}.
Only the owner and admins change reasons.|Gründe ändern nur die Inhaberin oder der Inhaber und Admins.
The reason for everything else keeps its kind.|Der Grund für alles Übrige behält seine Art.
This user is another employee already.|Diese Person ist schon ein anderer Mitarbeiter.
This employee is another user. Set its user_id to null first.|Dieser Mitarbeiter gehört zu einem anderen Benutzer. Zuerst diesen entfernen.
This purchase order has already been converted to an expense.|Aus dieser Bestellung ist schon eine Ausgabe geworden.
An invoice of this seller with this number is here already.|Eine Rechnung dieses Verkäufers mit dieser Nummer ist schon da.
{number} of {seller} was received on {day} already, as incoming invoice {id}.|{number} von {seller} ging schon am {day} ein, als Eingangsrechnung {id}.
Send a file, or email_message_uuid and email_attachment_id of a received e-mail.|Bitte eine Datei wählen, oder den Anhang einer empfangenen E-Mail.
Send either a file or an attachment of an e-mail.|Bitte entweder eine Datei oder den Anhang einer E-Mail wählen.
Is a PDF without an e-invoice in it: nothing that is attached to it is XML. Enter it as an expense.|Ist ein PDF ohne E-Rechnung: keine Anlage darin ist XML. Bitte als Ausgabe eintragen.
Is a PDF with more than one e-invoice in it.|Ist ein PDF mit mehr als einer E-Rechnung.
Is a PDF whose e-invoice is empty.|Ist ein PDF, dessen E-Rechnung leer ist.
Is a PDF with a password; send one without.|Ist ein PDF mit Passwort; bitte eines ohne wählen.
Is no PDF that can be read.|Ist kein lesbares PDF.
Is {what}; what is read are invoices and credit notes in UBL 2.1 and in CII (D16B), as EN 16931 has them.|Ist {what}; gelesen werden Rechnungen und Gutschriften in UBL 2.1 und CII (D16B) nach EN 16931.
Is {what}; what is read are statements in CAMT.052, CAMT.053, CAMT.054 (ISO 20022), MT940 and CSV.|Ist {what}; gelesen werden Kontoauszüge in CAMT.052, CAMT.053, CAMT.054 (ISO 20022), MT940 und CSV.
Is {what}, but holds no statement.|Ist {what}, enthält aber keinen Kontoauszug.
Holds no statement.|Enthält keinen Kontoauszug.
Is neither XML nor MT940; to read it as CSV, choose a mapping.|Ist weder XML noch MT940; um sie als CSV zu lesen, bitte eine Zuordnung wählen.
Has a file that can’t be read, {name}: {why}|Enthält eine Datei, die nicht lesbar ist, {name}: {why}
Has an amount that can’t be read, “{text}” (statement {id}, entry {n}).|Enthält einen Betrag, der nicht lesbar ist: „{text}“ (Kontoauszug {id}, Buchung {n}).
Has an amount that can’t be read, “{text}” (statement {id}, balance {code}).|Enthält einen Betrag, der nicht lesbar ist: „{text}“ (Kontoauszug {id}, Saldo {code}).
Has a day that can’t be read, “{text}” (statement {id}, entry {n}).|Enthält einen Tag, der nicht lesbar ist: „{text}“ (Kontoauszug {id}, Buchung {n}).
Has an entry over {amount} {currency}, which has at most {decimals} decimals.|Enthält eine Buchung über {amount} {currency}; diese Währung hat höchstens {decimals} Nachkommastellen.
Has an entry over {amount} {currency}, which is more than can be held.|Enthält eine Buchung über {amount} {currency}; so viel lässt sich nicht verbuchen.
Has an entry in {currency}, which is no currency.|Enthält eine Buchung in {currency}; das ist keine Währung.
Has an entry without a currency.|Enthält eine Buchung ohne Währung.
Has an entry without a day on which it was booked.|Enthält eine Buchung ohne Buchungstag.
Has a statement without an account.|Enthält einen Kontoauszug ohne Konto.
Has a statement without a currency.|Enthält einen Kontoauszug ohne Währung.
Has a field 61 that can’t be read: “{text}”.|Enthält ein Feld 61, das nicht lesbar ist: „{text}“.
Holds more than {count} statements.|Enthält mehr als {count} Kontoauszüge.
Holds more than {count} entries; send it in parts.|Enthält mehr als {count} Buchungen; bitte aufteilen.
Has more than {count} rows; send it in parts.|Hat mehr als {count} Zeilen; bitte aufteilen.
Holds more than {count} documents.|Enthält mehr als {count} Dokumente.
Holds more than {count} files.|Enthält mehr als {count} Dateien.
Unpacks to more than is read; send it in parts.|Ist entpackt größer, als gelesen wird; bitte aufteilen.
Must not be protected by a password.|Darf nicht durch ein Passwort geschützt sein.
Is a ZIP with a password; send one without.|Ist ein ZIP mit Passwort; bitte eines ohne wählen.
Holds a ZIP within the ZIP; unpack that first.|Enthält ein ZIP im ZIP; dieses bitte zuerst entpacken.
Is no ZIP that can be read.|Ist kein lesbares ZIP.
Holds no entry below its header.|Enthält keine Buchung unter der Kopfzeile.
Has no row {row}, which is the header by the mapping.|Hat keine Zeile {row}, die nach der Zuordnung die Kopfzeile ist.
Has no column “{name}”; its columns are {columns}.|Hat keine Spalte „{name}“; die Spalten sind {columns}.
Has more than {count} columns.|Hat mehr als {count} Spalten.
Is no text.|Ist kein Text.
Is no sound CSV: {why}|Ist keine gültige CSV-Datei: {why}
Row {row}: Has no day that can be read: “{text}”.|Zeile {row}: Hat keinen lesbaren Tag: „{text}“.
Row {row}: Has no value date that can be read: “{text}”.|Zeile {row}: Hat keine lesbare Wertstellung: „{text}“.
Row {row}: Has no amount that can be read: “{text}”.|Zeile {row}: Hat keinen lesbaren Betrag: „{text}“.
Row {row}: Has no account.|Zeile {row}: Hat kein Konto.
Row {row}: Has a debit and a credit.|Zeile {row}: Hat einen Ausgang und einen Eingang.
Row {row}: Says by “{text}” neither that it came in nor that it went out.|Zeile {row}: Sagt mit „{text}“ weder Eingang noch Ausgang.
Row {row}: Has an entry over {amount} {currency}, which has at most {decimals} decimals.|Zeile {row}: Der Betrag {amount} {currency} hat mehr als {decimals} Nachkommastellen.
Row {row}: Has an entry in {currency}, which is no currency.|Zeile {row}: {currency} ist keine Währung.
There is no such bank CSV mapping.|Diese CSV-Zuordnung gibt es nicht.
Another bank CSV mapping has this name.|Eine andere CSV-Zuordnung hat diesen Namen.
Must be left out where debits or credits have columns.|Muss leer bleiben, wenn Eingänge oder Ausgänge Spalten haben.
Is required, unless debits and credits have columns.|Ist erforderlich, wenn Eingänge und Ausgänge keine Spalten haben.
Needs a column with the amounts.|Braucht eine Spalte mit den Beträgen.
Is required, unless a column has it.|Ist erforderlich, wenn es in keiner Spalte steht.
Several vendors have {who}: say which it is.|Auf mehrere Lieferanten trifft das zu: bitte angeben, welcher es ist.
No vendor has the seller’s tax id or name: say which it is.|Kein Lieferant hat die Steuernummer oder den Namen des Verkäufers: bitte angeben, welcher es ist.
No purchase order has the number {number}.|Keine Bestellung hat die Nummer {number}.
{number} is an order to another vendor.|{number} ist eine Bestellung bei einem anderen Lieferanten.
{number} has become an expense already: see that it isn’t paid twice.|Aus {number} ist schon eine Ausgabe geworden: bitte nicht zweimal bezahlen.
Is self-billed (type {code}): {buyer} wrote it for a sale of this workspace, so it is income and no expense. Enter it as an invoice to {again}, then close it here.|Ist eine Gutschrift im Sinne des § 14 UStG (Typ {code}): {buyer} hat sie für einen Verkauf dieses Arbeitsbereichs geschrieben. Sie ist eine Einnahme und keine Ausgabe. Bitte als Rechnung an {again} eintragen und hier schließen.
Is self-billed (type {code}): this workspace wrote it in the seller’s name.|Ist vom Käufer ausgestellt (Typ {code}): dieser Arbeitsbereich hat sie im Namen des Verkäufers geschrieben.
Is self-billed (type {code}): the buyer wrote it in the seller’s name. If the seller is this workspace, it is a sale and no expense.|Ist vom Käufer ausgestellt (Typ {code}), im Namen des Verkäufers. Ist der Verkäufer dieser Arbeitsbereich, ist sie ein Verkauf und keine Ausgabe.
Another invoice took off {number} meanwhile. Try again.|Inzwischen hat eine andere Rechnung {number} abgezogen. Bitte noch einmal versuchen.
There is no such attachment.|Diese Anlage gibt es nicht.
The attachment is larger than 20 MB.|Die Anlage ist größer als 20 MB.
Is an envelope (SBDH) with {count} documents in it; send one invoice at a time.|Ist ein Umschlag (SBDH) mit {count} Dokumenten; bitte eine Rechnung auf einmal.
Holds no lines, as its profile {profile} has none: what was bought stands on the page alone.|Enthält keine Positionen, weil das Profil {profile} keine hat: was gekauft wurde, steht nur auf der Seite.
Is not its quantity by its price.|Ist nicht Menge mal Preis.
{due} is to be paid, but the invoice comes to {total}. {because}|Zu zahlen sind {due}, die Rechnung lautet aber über {total}. {because}
Takes off {deposits}: its expense is of what is left, {left}.|Zieht {deposits} ab: Die Ausgabe ist über den Rest, {left}.
Seems to take off {deposits}: an expense that is made of it is of what is left, {left}.|Zieht wohl {deposits} ab: Eine Ausgabe daraus ist über den Rest, {left}.
Takes off another amount than {deposits} comes to: see that nothing is booked twice.|Zieht einen anderen Betrag ab als {deposits}: Bitte darauf achten, dass nichts doppelt gebucht wird.
Takes off {numbers}, which isn’t booked yet: deal with that first.|Zieht {numbers} ab, was noch nicht gebucht ist: Bitte das zuerst erledigen.
{number} (incoming invoice {id}) takes it off and was booked for the whole already: an expense of it would count twice.|{number} (Eingangsrechnung {id}) zieht sie ab und ist schon im Ganzen gebucht: Eine Ausgabe daraus zählte doppelt.
{number} (incoming invoice {id}) took off {deposit} already: see that nothing is booked twice.|{number} (Eingangsrechnung {id}) hat {deposit} schon abgezogen: Bitte darauf achten, dass nichts doppelt gebucht wird.
Names {deposits} and takes nothing off: see that nothing is booked twice.|Nennt {deposits} und zieht nichts ab: Bitte darauf achten, dass nichts doppelt gebucht wird.
Is also the number of incoming invoice {id} of this seller, of {day}: see that it isn’t the same.|Ist auch die Nummer der Eingangsrechnung {id} dieses Verkäufers vom {day}: Bitte prüfen, ob es dieselbe ist.
It takes money off; close it once it is dealt with.|Sie zieht Geld ab; schließen Sie sie, wenn sie erledigt ist.
Only {count} in stock there, {missing} would leave.|Dort sind nur {count} auf Lager, {missing} gingen ab.
Stock of this product is not kept.|Von diesem Produkt wird kein Bestand geführt.
This warehouse is closed.|Dieses Lager ist geschlossen.
This line has already moved its stock.|Diese Zeile hat ihren Bestand schon bewegt.
Some of this product is in stock: take it out first.|Von diesem Produkt ist noch etwas auf Lager: zuerst herausnehmen.
There is stock in this warehouse: move it out first.|In diesem Lager ist noch Bestand: zuerst auslagern.
S needs a tax_rate above 0; without tax it is one of Z, E, AE, K, G, O.|Zur Kategorie S gehört ein Steuersatz über 0; ohne Steuer ist es eine von Z, E, AE, K, G, O.
{category} is charged without tax: tax_rate must be 0.|In der Kategorie {category} wird keine Steuer berechnet: der Satz muss 0 sein.
Either all lines are outside the scope of tax (O) or none.|Entweder sind alle Zeilen nicht steuerbar (O) oder keine.
This link is not valid, or its time is over.|Dieser Link gilt nicht, oder seine Zeit ist um.
This link is not valid. It was used already, or its time is over.|Dieser Link gilt nicht: er wurde schon verwendet, oder seine Zeit ist um.
This {noun} has not been signed.|Das ist noch nicht unterschrieben.
This {noun} isn't issued yet.|Das ist noch nicht ausgestellt.
An import that is {=status} cannot be changed.|Im Stand „{=status}“ lässt sich ein Import nicht ändern.
An import that is {=status} cannot be run again.|Im Stand „{=status}“ lässt sich ein Import nicht noch einmal starten.
An import that is {=status} cannot be undone.|Im Stand „{=status}“ lässt sich ein Import nicht rückgängig machen.
Another file of yours is being read. Send this one when that is done.|Eine andere Ihrer Dateien wird gerade gelesen. Diese bitte danach hochladen.
Rows of the file are missing. Upload it again.|Zeilen der Datei fehlen. Bitte noch einmal hochladen.
Its content is not that of a .{extension} file.|Der Inhalt ist nicht der einer Datei .{extension}.
Is more than can be read. Send it as CSV, or in parts.|Ist mehr, als sich lesen lässt. Bitte als CSV oder in Teilen hochladen.
Has more cells than the header.|Hat mehr Zellen als die Kopfzeile.
Cell {cell} has the error {error} of a formula instead of a value. Correct it in the file, or empty the cell.|In Zelle {cell} steht statt eines Werts der Formelfehler {error}. Bitte in der Datei korrigieren oder die Zelle leeren.
Cell {cell} has a formula without its value. Open the file in a spreadsheet program, and save it there.|Zelle {cell} hat eine Formel ohne ihren Wert. Bitte die Datei in einem Tabellenprogramm öffnen und dort speichern.
File read again.|Datei neu eingelesen.
Template saved.|Vorlage gespeichert.
Template deleted.|Vorlage gelöscht.
Must be the name of one of the file’s sheets.|Muss der Name eines Tabellenblatts der Datei sein.
A CSV file has no sheets.|Eine CSV-Datei hat keine Tabellenblätter.
Must be the number of a row that has texts.|Muss die Nummer einer Zeile mit Text sein.
Must differ from decimal_sign.|Muss sich vom Dezimalzeichen unterscheiden.
Is required, or header_row.|Ist nötig, oder die Zeile mit den Spaltenköpfen.
There is no such template of these records.|Für diese Datensätze gibt es keine solche Vorlage.
Another template of these records has this name.|So heißt schon eine andere Vorlage für diese Datensätze.
There are {n} templates of these records. Delete one first.|Es gibt schon {n} Vorlagen für diese Datensätze. Bitte zuerst eine löschen.
You may not import such records.|Solche Datensätze dürfen Sie nicht importieren.
The message becomes longer than {n} characters.|Die Nachricht wird länger als {n} Zeichen.
The template is not active.|Die Vorlage ist nicht aktiv.
The file of this document is gone.|Die Datei dieses Dokuments ist nicht mehr da.
The message is not on the server any more.|Die Nachricht ist nicht mehr auf dem Server.
Must have no placeholders.|Darf keine Platzhalter haben.
Must have the placeholders {names} and no others.|Muss die Platzhalter {names} haben und keine anderen.
{users} users still have the role {role}. Give them another first.|{users} Benutzer haben noch die Rolle {role}. Zuerst eine andere geben.
You may not give what you don't hold yourself: {permission}.|Was Sie selbst nicht haben, dürfen Sie nicht geben: {permission}.
The role {role} allows {more}, which you may not do yourself.|Die Rolle {role} erlaubt, was Sie selbst nicht dürfen ({more}).
The role {role} belongs to the owner alone.|Die Rolle {role} hat allein die Inhaberin oder der Inhaber.
The role {role} may everything that is installed; it can't be changed.|Die Rolle {role} darf alles, was installiert ist; sie lässt sich nicht ändern.
The owner's role can't be changed.|Die Rolle der Inhaberin oder des Inhabers lässt sich nicht ändern.
Only the owner may change this, signed in themselves.|Das ändert nur die Inhaberin oder der Inhaber, selbst angemeldet.
The e-mail address or the password is not right.|Die E-Mail-Adresse oder das Passwort stimmt nicht.
Several workspaces know this address. Say which one by its slug.|Mehrere Arbeitsbereiche kennen diese Adresse. Bitte angeben, welcher es ist.
Too many wrong codes. Try again in an hour.|Zu viele falsche Codes. Bitte in einer Stunde noch einmal versuchen.
Too many requests. Try again in {n} seconds.|Zu viele Anfragen. Bitte in {n} Sekunden noch einmal versuchen.
This passkey does not open an account.|Dieser Passkey öffnet kein Konto.
This passkey is known already.|Diesen Passkey gibt es schon.
The second factor is turned on already. Turn it off first.|Der zweite Faktor ist schon eingeschaltet. Zuerst ausschalten.
There is no second factor that is turned on.|Es ist kein zweiter Faktor eingeschaltet.
This address was changed too often within a day. Try again tomorrow.|Diese Adresse wurde an einem Tag zu oft geändert. Bitte morgen noch einmal versuchen.
The record was changed in the meantime. Read it again and repeat the change.|Der Datensatz wurde inzwischen geändert. Bitte neu laden und die Änderung wiederholen.
Somebody else did the same at the same moment. Read again and repeat.|Jemand anderes hat im selben Augenblick dasselbe getan. Bitte neu laden und wiederholen.
Something went wrong on our side. It has been logged.|Bei uns ist etwas schiefgegangen. Es wurde festgehalten.
The input is not valid.|Die Eingabe ist nicht gültig.
The body is too large.|Das ist zu groß.
We are working on the service. Please try again later.|Wir arbeiten am Dienst. Bitte später noch einmal versuchen.
{module} is already installed.|{module} ist schon installiert.
The workspace has {left} bytes of storage left, and this takes {bytes}.|Der Speicher des Arbeitsbereichs reicht nicht: {left} Bytes sind frei, das braucht {bytes}.
A suspended user cannot be impersonated.|Wer gesperrt ist, den kann man nicht vertreten.
The workspace owner cannot be impersonated.|Die Inhaberin oder den Inhaber kann man nicht vertreten.
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
Must not be before the check-in at {time}, unless the shift ends on the next day.|Darf nicht vor dem Kommen um {time} liegen, außer die Schicht endet am nächsten Tag.
Must be at most 24 hours after the check-in at {time}.|Höchstens 24 Stunden nach dem Kommen um {time}.
Must be at most {n}: the minutes from check-in to check-out.|Höchstens {n}: so viele Minuten liegen zwischen Kommen und Gehen.
Takes off more than the document charges at a tax rate of {rate} percent.|Zieht mehr ab, als der Beleg zum Steuersatz von {rate} Prozent berechnet.
Must be 0 where the unit price is below 0: that price is the one after discount.|Muss 0 sein, wo der Einzelpreis unter 0 liegt: er ist der Preis nach Abzug des Rabatts.
Needs a check-out.|Dazu muss ein Gehen stehen.
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
This changes who may come in or where money goes. An agent can’t do it: do it in person.|Das ändert, wer Zugang hat oder wohin Geld geht. Ein Agent kann es nicht: Tun Sie es selbst.
This changes who may come in or where money goes. While you work as the owner, they must allow it in the settings.|Das ändert, wer Zugang hat oder wohin Geld geht. Solange Sie als Inhaberin oder Inhaber arbeiten, muss es in den Einstellungen erlaubt sein.
This changes who may come in or where money goes. The owner must allow it to accounts of the platform in the settings.|Das ändert, wer Zugang hat oder wohin Geld geht. Konten der Plattform muss es in den Einstellungen erlaubt sein.
Must be at most 24 hours ahead.|Höchstens 24 Stunden im Voraus.
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
