from banquise.cli import main

raise SystemExit(main())
