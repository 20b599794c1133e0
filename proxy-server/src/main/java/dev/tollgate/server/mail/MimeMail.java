package dev.tollgate.server.mail;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.UnsupportedEncodingException;
import java.time.Instant;
import java.util.Date;
import java.util.UUID;

/** MIME message of a mail, with plain text and HTML as alternatives. */
final class MimeMail extends MimeMessage {
  private static final String CHARSET = "utf-8";
  private static final String SENDER_NAME = "Tollgate";

  private MimeMail(Session session) {
    super(session);
  }

  static MimeMail of(Session session, String from, MailMessage message, Instant writtenAt)
      throws MessagingException {
    var mime = new MimeMail(session);
    mime.setFrom(sender(from));
    mime.setRecipient(Message.RecipientType.TO, new InternetAddress(message.to()));
    mime.setSubject(oneLine(message.subject()), CHARSET);
    mime.setSentDate(Date.from(writtenAt));
    // Asks for no automatic replies.
    mime.setHeader("Auto-Submitted", "auto-generated");
    var text = new MimeBodyPart();
    text.setText(message.text(), CHARSET);
    var html = new MimeBodyPart();
    html.setText(message.html(), CHARSET, "html");
    mime.setContent(new MimeMultipart("alternative", text, html));
    mime.saveChanges();
    return mime;
  }

  private static InternetAddress sender(String from) throws MessagingException {
    var address = new InternetAddress(from);
    try {
      address.setPersonal(SENDER_NAME, CHARSET);
      return address;
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException("every JDK has UTF-8", e);
    }
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  /** The library's own id contains the name of this machine. */
  @Override
  protected void updateMessageID() throws MessagingException {
    setHeader("Message-ID", "<" + UUID.randomUUID() + "@tollgate>");
  }
}
