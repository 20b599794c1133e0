package dev.tollgate.server.account;

/**
 * Right to do something in an organization. Roles are sets of permissions ({@link Role}); services
 * ask for permissions, never for roles.
 */
public enum Permission implements WireName {
  /** See the organization, its members, keys, requests, models, budgets and credits. */
  ORG_READ(Holder.ANYONE),
  /** Change names and the key policy. */
  ORG_UPDATE(Holder.ANYONE),
  ORG_CLOSE(Holder.PERSON),
  /** Change and remove members below owner. */
  MEMBERS_WRITE(Holder.PERSON),
  /** Make, change and remove owners. */
  OWNERS_WRITE(Holder.PERSON),
  INVITATIONS_READ(Holder.ANYONE),
  INVITATIONS_WRITE(Holder.PERSON),
  /** Make keys; change, rotate, disable and revoke those that one made. */
  KEYS_WRITE_OWN(Holder.ANYONE),
  KEYS_WRITE_ALL(Holder.ANYONE),
  /** See the ledger and statements. */
  LEDGER_READ(Holder.ANYONE),
  SPENDING_LIMIT_WRITE(Holder.ANYONE),
  WEBHOOK_SECRET_REVEAL(Holder.PERSON),
  WEBHOOK_SECRET_ROTATE(Holder.PERSON),
  AUDIT_READ(Holder.ANYONE);

  private enum Holder {
    /** People and control tokens. */
    ANYONE,
    /** People only: a control token never has it. */
    PERSON
  }

  private final Holder holder;

  Permission(Holder holder) {
    this.holder = holder;
  }

  /** True if control tokens never have this permission. */
  public boolean isForPeopleOnly() {
    return holder == Holder.PERSON;
  }
}
