package dev.tollgate.server.mail;

import dev.tollgate.core.money.MicroUsd;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Texts of all mails. */
public final class MailTexts {
  private static final String IGNORE = "If this was not you, ignore this mail.";

  private MailTexts() {}

  public static MailMessage verifyEmail(String to, String link) {
    return mail(
        MailKind.VERIFY_EMAIL,
        to,
        "Confirm your address",
        link,
        "Open this link within 24 hours to confirm your address for Tollgate.",
        IGNORE);
  }

  public static MailMessage accountExists(String to, String link) {
    return mail(
        MailKind.ACCOUNT_EXISTS,
        to,
        "You have an account already",
        link,
        "A new account was asked for with this address, which has one already. Sign in with it, or"
            + " set a new password there.",
        IGNORE);
  }

  public static MailMessage resetPassword(String to, String link) {
    return mail(
        MailKind.RESET_PASSWORD,
        to,
        "Set a new password",
        link,
        "Open this link within 30 minutes to set a new password for Tollgate.",
        IGNORE);
  }

  public static MailMessage changeEmail(String to, String link) {
    return mail(
        MailKind.CHANGE_EMAIL,
        to,
        "Confirm your new address",
        link,
        "Open this link within an hour to use this address for your Tollgate account.",
        IGNORE);
  }

  /** Warns the mailbox that an account leaves. */
  public static MailMessage emailChanges(String to) {
    return mail(
        MailKind.EMAIL_CHANGED,
        to,
        "The address of your account is being changed",
        null,
        "A change of your Tollgate account's address was asked for. It takes effect when the new"
            + " address is confirmed.",
        "If this was not you, set a new password and end all sessions.");
  }

  public static MailMessage passwordChanged(String to) {
    return mail(
        MailKind.PASSWORD_CHANGED,
        to,
        "Your password was changed",
        null,
        "The password of your Tollgate account was changed, and other sessions were ended.",
        "If this was not you, set a new password at once.");
  }

  public static MailMessage signInsFailed(String to) {
    return mail(
        MailKind.SIGN_INS_FAILED,
        to,
        "Sign-ins to your account failed",
        null,
        "There were several failed attempts to sign in to your Tollgate account. They are limited;"
            + " you need not do anything.");
  }

  /** Tells of an operator's change, such as {@code was disabled}. */
  public static MailMessage accountChanged(String to, String what) {
    return mail(
        MailKind.ACCOUNT_CHANGED,
        to,
        "Your account was changed",
        null,
        "An operator changed your Tollgate account: it " + what + ".");
  }

  /** Invites to an organization; the names come from people. */
  public static MailMessage invitation(
      String to, String organization, String invitedBy, String link) {
    return mail(
        MailKind.INVITATION,
        to,
        "Invitation to " + organization,
        link,
        invitedBy + " invites you to the organization " + organization + " on Tollgate.",
        "Open this link within 7 days to accept.");
  }

  public static MailMessage webhookSecretRotated(String to, String organization) {
    return mail(
        MailKind.WEBHOOK_SECRET_ROTATED,
        to,
        "A webhook secret was replaced",
        null,
        "The webhook secret of the organization " + organization + " was replaced.");
  }

  /** Alerts that a share of an organization's monthly limit is spent. */
  public static MailMessage monthlyLimitReached(
      String to, String organization, int percent, MicroUsd limit) {
    return mail(
        MailKind.SPENDING_ALERT,
        to,
        percent + " % of a spending limit is spent",
        null,
        "The organization %s spent %d %% of its limit of %s USD for this month."
            .formatted(organization, percent, limit.toUsd()),
        "At the limit, requests are refused until the month ends or the limit is raised.");
  }

  /** Alerts that an organization's balance is below an amount that its people have set. */
  public static MailMessage balanceIsBelow(String to, String organization, MicroUsd amount) {
    return mail(
        MailKind.SPENDING_ALERT,
        to,
        "A balance is low",
        null,
        "The balance of the organization %s is below %s USD."
            .formatted(organization, amount.toUsd()),
        "Without a balance, requests are refused.");
  }

  private static MailMessage mail(
      MailKind kind, String to, String subject, @Nullable String link, String... paragraphs) {
    return new MailMessage(kind, to, subject, List.of(paragraphs), link);
  }
}
